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
// A SET that reads what it sets locks the node's relationships first and then the node, the other way round than
// those who lock the node and then add to it: of a long session each would wait for the other.
SET s._lock = true
REMOVE s._lock
SET
  s.started_at = CASE WHEN s.started_at < row.started_at THEN s.started_at ELSE row.started_at END,
  s.ended_at = CASE WHEN s.ended_at > row.ended_at THEN s.ended_at ELSE row.ended_at END
RETURN s.id AS id, s.tail AS tail
