CYPHER 25
// Which content hashes a space has a memory of, and under which ids.
// $space: string, whose
// $hashes: list of strings
// returns: hash (string), id (string)
UNWIND $hashes AS hash
MATCH (m:Memory {space: $space, content_hash: hash})
RETURN hash, m.id AS id
