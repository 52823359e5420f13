CYPHER 25
// Take a supersession back: the older memory is as it was, and the newer one stays as it is.
// Both were locked in the same transaction.
// $space: string, whose
// $id: string, the change's
// returns: undone (boolean), why (string or null, what stands in the way); no row where one of the two is gone
// Running it twice: the second run finds it taken back.
MATCH (c:BeliefChange {id: $id})-[was:CHANGED {role: 'old'}]->(old:Memory)
WHERE c.space = $space AND old.space = $space
MATCH (c)-[:CHANGED {role: 'new'}]->(new:Memory)
WHERE new.space = $space
WITH c, was, old, new, CASE
  WHEN old.status <> 'superseded' OR NOT EXISTS { (new)-[:SUPERSEDES]->(old) }
  THEN 'the older memory was brought back already'
  WHEN EXISTS { (new)<-[later:SUPERSEDES]-() WHERE later.at >= c.at }
  THEN 'what replaced it was replaced since, so that has to be taken back first'
END AS why
CALL (was, old, new, why) {
  WHEN why IS NULL THEN {
    MATCH (new)-[s:SUPERSEDES]->(old)
    DELETE s
    SET
      old.status = was.status,
      old.valid_to = was.valid_to,
      old.valid_to_before = was.valid_to_before,
      old.closed_at = was.closed_at,
      old.version = old.version + 1
  }
}
RETURN why IS NULL AS undone, why
