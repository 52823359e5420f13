CYPHER 25
// What memories are in unresolved tension with.
// $space: string, whose
// $ids: list of strings, the memories'
// returns: id, other (id of what it is in tension with), content (of that)
UNWIND $ids AS id
MATCH (m:Memory {id: id})-[t:IN_TENSION_WITH]-(other:Memory)
WHERE m.space = $space AND other.space = $space AND t.state IN ['open', 'acknowledged']
RETURN m.id AS id, other.id AS other, other.content AS content
ORDER BY id, t.at DESC, other
