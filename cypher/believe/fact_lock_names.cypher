CYPHER 25
// Lock the names that a fact is about, in the order of their keys, as those who write facts about the same queue up
// there: what they do not see of each other they see after it.
// $space: string, whose
// $names: list of maps {key, name}, sorted by key
// $now: datetime, when
// returns: locked (integer)
// Running it twice: no change; the lock lasts until the transaction ends.
UNWIND $names AS name
MERGE (e:Entity {space: $space, key: name.key})
  ON CREATE SET
    e.name = name.name,
    e.created_at = $now
SET e._lock = true
REMOVE e._lock
RETURN count(*) AS locked
