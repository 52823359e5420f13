CYPHER 25
// Count the tombstones of a space: each erasure leaves some, so that one that has happened meanwhile is noticed.
// $space: string, whose
// returns: one row: tombstones (integer)
MATCH (t:Tombstone {space: $space})
RETURN count(t) AS tombstones
