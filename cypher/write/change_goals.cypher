CYPHER 25
// Change goals. They were locked in the same transaction.
// $space: string, whose
// $goals: list of maps {id, values (map, the properties that they have then; null takes one away)}, in ascending id
// Running it twice: the same values.
UNWIND $goals AS row
MATCH (g:Goal {id: row.id})
WHERE g.space = $space
SET g += row.values
