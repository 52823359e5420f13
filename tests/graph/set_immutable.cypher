CYPHER 25
// Make a memory immutable; nothing in the library does that yet.
// $space: string, whose
// $id: string, the memory's
// Running it twice: no change.
MATCH (m:Memory {id: $id})
WHERE m.space = $space
SET m.immutable = true
