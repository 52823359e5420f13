CYPHER 25
// Give a lease back. It is a lock and no record, so nothing stays of it: the run has a record of its own.
// $space: string, whose
// $phase: string, what is done
// $run: string, id of the run that took it
// Running it twice: the second run finds nothing, or somebody else's, and leaves it.
MATCH (a:ConsolidationAttempt {id: $space + ':' + $phase})
SET a._lock = true
REMOVE a._lock
WITH a
WHERE a.run = $run
DETACH DELETE a
