CYPHER 25
// Give back the lease on the clusters of a space. It is a lock and no record, so nothing stays of it: the run has one.
// $space: string, whose
// $id: string, the lease's
// $run: string, id of the run that holds it
// Running it twice: the second run finds nothing, or somebody else's, and leaves it.
MATCH (a:ConsolidationAttempt {id: $id, space: $space})
SET a._lock = true
REMOVE a._lock
WITH a
WHERE a.run = $run
DETACH DELETE a
