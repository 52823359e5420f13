CYPHER 25
// Memories that contradict each other, both kept: one relationship for each pair, from the lower to the higher id.
// All of them are locked in ascending id before any pair is looked at, so that two writers make no pair twice.
// $space: string, whose
// $ids: list of strings, every memory below, ascending
// $pairs: list of maps {low, high (ids), why (in a few words, for people)}, sorted
// $now: datetime, when
// returns: one row: flagged (integer, pairs that are new), pairs (list of maps {low, high}: those)
// Running it twice: no change; a tension that was resolved stays so.
CALL () {
  UNWIND $ids AS id
  MATCH (m:Memory {id: id})
  WHERE m.space = $space
  SET m._lock = true
  REMOVE m._lock
  RETURN count(*) AS locked
}
UNWIND $pairs AS pair
MATCH (low:Memory {id: pair.low})
WHERE low.space = $space
MATCH (high:Memory {id: pair.high})
WHERE high.space = $space AND low.id < high.id AND NOT EXISTS { (low)-[:IN_TENSION_WITH]-(high) }
MERGE (low)-[t:IN_TENSION_WITH]->(high)
  ON CREATE SET
    t.space = $space,
    t.at = $now,
    t.surfaced = 0,
    t.state = 'open',
    t.why = pair.why
RETURN count(t) AS flagged, collect({low: low.id, high: high.id}) AS pairs
