CYPHER 25
// What a prompt needs to know of the memories that it is about to tell, beside what a recall returns.
// $space: string, whose
// $ids: list of strings, the memories'
// returns: id, embedding (list of floats or null), disagrees (list of strings: ids, among these, of memories that an
//   open tension holds against it, each pair once)
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space
RETURN
  m.id AS id,
  m.embedding AS embedding,
  [(m)-[t:IN_TENSION_WITH]->(other:Memory) WHERE other.id IN $ids AND coalesce(t.state, 'open') = 'open' | other.id]
    AS disagrees
