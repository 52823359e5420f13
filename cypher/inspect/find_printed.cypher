CYPHER 25
// The memories whose ids begin as some that stand in a text: as Engram prints a memory, its id comes with it.
// $space: string, whose
// $prefixes: list of strings, beginnings of ids
// returns: id, content, compressed (string or null)
UNWIND $prefixes AS prefix
MATCH (m:Memory {space: $space})
WHERE m.id STARTS WITH prefix
RETURN m.id AS id, m.content AS content, m.compressed AS compressed
