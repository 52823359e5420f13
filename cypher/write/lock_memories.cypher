CYPHER 25
// Lock memories in ascending id before anything about them is read, so that writers queue up.
// $space: string, whose
// $ids: list of strings, sorted
// returns: id, memory (map) for each that exists
// Running it twice: no visible change; the lock lasts until the transaction ends.
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space
SET m._lock = true
REMOVE m._lock
WITH collect(m) AS locked
UNWIND locked AS m
RETURN m.id AS id, m {.*, embedding: null, embedding_b: null} AS memory
