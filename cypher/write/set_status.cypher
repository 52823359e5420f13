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
  m.status = $to,
  m.version = m.version + 1
RETURN m {.*, embedding: null} AS memory
