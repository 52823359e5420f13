CYPHER 25
// Put a memory into a status, e.g. archived (out of recall, nothing lost) or active again.
// $space: string, whose
// $id: string, the memory's
// $from: list of strings, the statuses it may be in now
// $to: string, the status it gets
// returns: memory (map); no row where it is not there or in another status
// Running it twice: the second run changes nothing, `to` not being among `from`.
MATCH (m:Memory {id: $id})
WHERE m.space = $space
// Locked before its status is read: a supersession may be under way.
SET m._lock = true
REMOVE m._lock
WITH m
WHERE m.status IN $from
SET
  // What a person brings back from where a job has put it, no job puts away again.
  m.policy_class = CASE WHEN $to = 'active' AND m.archive_reason IS NOT NULL THEN 'protected' ELSE m.policy_class END,
  m.policy_held = CASE
    WHEN $to <> 'active' OR m.archive_reason IS NULL THEN m.policy_held
    ELSE [name IN coalesce(m.policy_held, []) WHERE name <> 'policy_class'] + 'policy_class'
  END,
  m.lifecycle_state = CASE WHEN m.archive_reason IS NULL THEN m.lifecycle_state ELSE m.archived_state END,
  m.archive_reason = null,
  m.archived_at = null,
  m.archived_run = null,
  m.archived_state = null,
  m.status = $to,
  m.version = m.version + 1
RETURN m {.*, embedding: null, embedding_b: null} AS memory
