CYPHER 25
// Which of these hashes bar what was erased at a person's wish.
// $space: string, whose
// $hashes: list of strings
// returns: hash
MATCH (t:Tombstone {space: $space})
WHERE t.content_hash IN $hashes
RETURN t.content_hash AS hash
