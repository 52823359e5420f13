CYPHER 25
// Note that the step of a number was taken back. What it rested on was looked at, and advises nothing a second time.
// $space: string, whose
// $run: string, the run that took the step
// $key: string, the number's
// $now: datetime, when
// returns: one row: undone (integer)
// Running it twice: no change.
OPTIONAL MATCH (:ConsolidationConfig {space: $space})-[:ADVISED]->(g:GateAdvice {run: $run, key: $key})
WHERE g.moved AND g.undone_at IS NULL
SET g.undone_at = $now
RETURN count(g) AS undone
