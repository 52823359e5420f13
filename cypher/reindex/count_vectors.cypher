CYPHER 25
// Count the memories of a space and those that have a vector in a slot.
// $space: string, whose
// $property: string, the slot's property
// returns: one row: memories (integer), made (integer)
MATCH (m:Memory)
WHERE m.space = $space
RETURN count(m) AS memories, count(CASE WHEN m[$property] IS NOT NULL THEN 1 END) AS made
