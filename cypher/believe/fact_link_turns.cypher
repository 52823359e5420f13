CYPHER 25
// Say which turns a fact rests on, each with the words, and count that it was told again, and when: what was imported today
// was not said today. The turns are locked first, in ascending id: somebody may be about to erase one.
// The memory was locked in the same transaction.
// $space: string, whose
// $id: string, the memory's
// $quotes: list of maps {turn (id), citation}, sorted by turn
// $confidence: float, 0 to 1, of whoever drew the fact from them
// $again: boolean, whether the fact was there before: a turn that is new then counts in seen_count
// $now: datetime, when
// returns: one row: found (integer, how many of the turns there are), new (integer, on how many it did not rest yet)
// Running it twice: no change.
UNWIND $quotes AS quote
OPTIONAL MATCH (t:Turn {space: $space, id: quote.turn})
SET t._lock = true
REMOVE t._lock
WITH collect({turn: t, citation: quote.citation}) AS quotes
MATCH (m:Memory {id: $id})
WHERE m.space = $space
CALL (m, quotes) {
  UNWIND quotes AS quote
  WITH m, quote.turn AS t, quote.citation AS citation
  WHERE t IS NOT NULL
  WITH m, t, citation, EXISTS { (m)-[:DERIVED_FROM]->(t) } AS known
  MERGE (m)-[d:DERIVED_FROM]->(t)
    ON CREATE SET
      d.at = $now,
      d.citation = citation,
      d.confidence = $confidence
  RETURN count(*) AS found, sum(CASE WHEN known THEN 0 ELSE 1 END) AS new, max(t.at) AS said_at
}
WITH m, found, new, said_at, $again AND new > 0 AS told
SET
  m.seen_count = m.seen_count + CASE WHEN told THEN 1 ELSE 0 END,
  m.last_seen_at = CASE WHEN told AND said_at > m.last_seen_at THEN said_at ELSE m.last_seen_at END
RETURN found, new
