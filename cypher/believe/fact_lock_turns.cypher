CYPHER 25
// Lock turns in ascending id, after memories and before entities, so that nobody begins to rest on one that goes.
// $space: string, whose
// $ids: list of strings, sorted
// returns: locked (integer)
// Running it twice: no change; the lock lasts until the transaction ends.
UNWIND $ids AS id
MATCH (t:Turn {space: $space, id: id})
SET t._lock = true
REMOVE t._lock
RETURN count(*) AS locked
