CYPHER 25
// Note what the gates decided where it outlives the scratch buffer: the week of the decision points to the raw turn,
// until it is known what that was worth. Weeks hang from the space's numbers, which are what they tell of.
// $space: string, whose
// $rows: list of maps {entry (id), week (string), cause (string; null where there is nothing to wait for), at, due_at
//   (datetimes)}, ascending by entry
// returns: one row: noted (integer, entries)
// Running it twice: the second run finds the entries noted and changes nothing.
MERGE (c:ConsolidationConfig {space: $space})
// Locked before it is read: two who note queue up, and no week is made twice.
SET c._lock = true
REMOVE c._lock
WITH c
CALL () {
  UNWIND $rows AS row
  MATCH (e:ScratchEntry {id: row.entry})
  WHERE e.space = $space
  SET e._lock = true
  REMOVE e._lock
  RETURN count(*) AS locked
}
CALL (c) {
  UNWIND $rows AS row
  MATCH (e:ScratchEntry {id: row.entry})
  WHERE e.space = $space AND e.outcome_noted IS NULL
  SET e.outcome_noted = true
  WITH c, row, e
  CALL (c, row, e) {
    MATCH (e)-[:HEARD_AS]->(t:Turn)
    WHERE row.cause IS NOT NULL AND t.space = $space
    MERGE (c)-[:SHOWN_BY]->(o:GateOutcome {space: $space, week: row.week})
    MERGE (o)-[a:AWAITS]->(t)
      ON CREATE SET
        a.cause = row.cause,
        a.memory = e.memory,
        a.at = row.at,
        a.due_at = row.due_at
    RETURN count(*) AS awaited
  }
  RETURN count(*) AS noted
}
RETURN noted
