CYPHER 25
// The versions of a working memory that rest on some memories, and which of their lines do.
// $space: string, whose
// $ids: list of strings, the memories'
// returns: id, text (strings), keys (list of strings, of the lines), contents (list of strings, what the memories say)
UNWIND $ids AS id
MATCH (m:Memory {id: id})<-[c:CITES]-(w:WorkingMemory)
WHERE m.space = $space AND w.space = $space
RETURN w.id AS id, w.text AS text, collect(DISTINCT c.key) AS keys, collect(DISTINCT m.content) AS contents
ORDER BY id
