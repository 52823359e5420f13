CYPHER 25
// What a label is made of: the beginnings of memories.
// $space: string, whose
// $ids: list of strings, the memories'
// $length: integer, characters of each
// returns: id (string), text (string)
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space
RETURN id, left(m.content, $length) AS text
