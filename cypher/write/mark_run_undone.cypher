CYPHER 25
// Note on a run of a job that another run has taken it back, at the database's time.
// $id: string, the run's
// Running it twice: the first time stays.
MATCH (r:JobRun {id: $id})
// Locked before it is read: two who undo it queue up.
SET r._lock = true
REMOVE r._lock
WITH r
WHERE r.undone_at IS NULL
SET r.undone_at = datetime.realtime()
