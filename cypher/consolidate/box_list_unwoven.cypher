CYPHER 25
// The boxes of a space that are closed and in no trace yet, the earliest first.
// $space: string, whose
// returns: id
MATCH (b:MemoryBox {space: $space, due: 'trace'})
RETURN b.id AS id
ORDER BY b.started_at, id
