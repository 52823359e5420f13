CYPHER 25
// Write a change of belief into the log, pointing to what it changed, each with what that was before.
// The memories are locked in the same transaction; entities come last in the order of locks.
// $space: string, whose
// $id: string, the change's, new
// $kind: string, what was done; see engram.beliefs.changes
// $by: string, who or what decided
// $reason: string, why, quoting nothing
// $run: string or null, id of the job's run that did it
// $memories: list of maps {id, role, before (map of properties)}, sorted by id
// $entities: list of maps {id (the key), role, before}, sorted by id
// $now: datetime, when
// Running it twice: no change.
MERGE (c:BeliefChange {id: $id})
  ON CREATE SET
    c.space = $space,
    c.kind = $kind,
    c.by = $by,
    c.reason = $reason,
    c.run = $run,
    c.at = $now,
    // A run has one time for all that it does; what is taken back goes by what came after what.
    c.recorded_at = datetime.realtime()
WITH c
WHERE c.space = $space
CALL (c) {
  UNWIND $memories AS touched
  MATCH (m:Memory {id: touched.id})
  WHERE m.space = $space
  MERGE (c)-[r:CHANGED {role: touched.role}]->(m)
    ON CREATE SET r += touched.before
  RETURN count(*) AS memories
}
CALL (c) {
  UNWIND $entities AS touched
  MATCH (e:Entity {space: $space, key: touched.id})
  MERGE (c)-[r:CHANGED {role: touched.role}]->(e)
    ON CREATE SET r += touched.before
  RETURN count(*) AS entities
}
RETURN memories, entities
