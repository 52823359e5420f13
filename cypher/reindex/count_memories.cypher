CYPHER 25
// Count the memories of every space: a number that the database keeps.
// returns: one row: memories (integer)
MATCH (m:Memory)
RETURN count(m) AS memories
