CYPHER 25
// Goals of a space that have no vector in a slot.
// $space: string, whose
// $property: string, the slot's property
// returns: id, text, ascending by id
MATCH (g:Goal)
WHERE g.space = $space AND g[$property] IS NULL
RETURN g.id AS id, g.text AS text
ORDER BY id
