CYPHER 25
// Make the sessions that turns belong to, and lock them in order before anything else is touched:
// two imports of one conversation then wait for each other instead of deadlocking.
// $space: string, whose
// $sessions: list of maps {id, started_at, ended_at}, sorted by id
// $now: datetime, when they were first stored
// returns: id, tail (id of the memory of the session's latest turn so far, or null)
// Running it twice: no change.
UNWIND $sessions AS row
MERGE (s:Session {space: $space, id: row.id})
  ON CREATE SET
    s.created_at = $now,
    s.started_at = row.started_at,
    s.ended_at = row.ended_at
SET
  s.started_at = CASE WHEN row.started_at < s.started_at THEN row.started_at ELSE s.started_at END,
  s.ended_at = CASE WHEN row.ended_at > s.ended_at THEN row.ended_at ELSE s.ended_at END
RETURN s.id AS id, s.tail AS tail
