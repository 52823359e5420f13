CYPHER 25
// Let memories lack a vector, but those of an older version: a job over every space makes all that are lacking.
// $space: string, whose
MATCH (m:Memory {space: $space})
WHERE NOT m.id ENDS WITH ':ancient'
SET m.embed_due = true
