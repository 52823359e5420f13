CYPHER 25
// Lock sessions in order; writers of turns lock them first too.
// $space: string, whose
// $sessions: list of strings, their names, sorted
// Running it twice: no visible change; the lock lasts until the transaction ends.
UNWIND $sessions AS id
MATCH (s:Session {space: $space, id: id})
SET s._lock = true
REMOVE s._lock
