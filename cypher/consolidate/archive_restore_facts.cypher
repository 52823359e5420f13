CYPHER 25
// Bring back what a run of the job archive has put away, with the lifecycle state that it had. Its idle time counts
// anew from now on, so that the next run does not put it away again.
// $space: string, whose
// $ids: list of strings, ascending
// $run: string, id of the run
// $now: datetime, when
// returns: one row: changed (integer, memories), examples (list of maps {id, content}, five at most)
// Running it twice: the second run finds none of that run's and changes nothing.
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space
SET m._lock = true
REMOVE m._lock
WITH collect(m) AS locked
UNWIND locked AS m
WITH m
WHERE m.status = 'archived' AND m.archived_run = $run
SET
  m.status = 'active',
  m.version = m.version + 1,
  m.restored_at = $now,
  m.lifecycle_state = m.archived_state,
  m.archive_reason = null,
  m.archived_at = null,
  m.archived_run = null,
  m.archived_state = null
RETURN count(m) AS changed, collect(m {.id, content: left(m.content, 60)})[..5] AS examples
