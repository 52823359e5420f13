CYPHER 25
// Give goals the vectors that a model made of them.
// $space: string, whose
// $property: string, the slot's property
// $rows: list of maps {id, vector}, sorted by id
// Running it twice: the same vectors.
UNWIND $rows AS row
MATCH (g:Goal {id: row.id})
WHERE g.space = $space
SET g[$property] = row.vector
