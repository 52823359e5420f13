CYPHER 25
// Set properties of one memory by hand; null removes one.
// $space: string, whose
// $id: string, the memory's
// $properties: map
MATCH (m:Memory {id: $id})
WHERE m.space = $space
SET m += $properties
