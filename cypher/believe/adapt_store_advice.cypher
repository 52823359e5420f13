CYPHER 25
// Keep what outcomes advised about a number and up to which week they were looked at: no week is looked at twice.
// $space: string, whose
// $advice: map {key, week, before, after, direction, why, gain, moved (boolean, whether the number was changed by it),
//   own (boolean, whether the space had a number of its own before)}
// $run: string, id of the job's run
// $now: datetime, when
// returns: one row: stored (integer, 0 where it was there)
// Running it twice: the advice on that week is there already and nothing changes.
MERGE (c:ConsolidationConfig {space: $space})
SET c._lock = true
REMOVE c._lock
WITH c
CALL (c) {
  WITH c
  WHERE NOT EXISTS { (c)-[:ADVISED]->(:GateAdvice {key: $advice.key, week: $advice.week}) }
  CREATE (c)-[:ADVISED]->(g:GateAdvice {space: $space, run: $run, at: $now})
  SET g += $advice
  RETURN count(*) AS stored
}
RETURN stored
