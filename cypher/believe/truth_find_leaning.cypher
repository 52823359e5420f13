CYPHER 25
// The memories whose truth depends on that of some others: what is in unresolved tension with them, and what cites them.
// $space: string, whose
// $ids: list of strings, the others'
// returns: id (string), ascending; none of $ids
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space
CALL (m) {
  MATCH (m)<-[:DERIVED_FROM]-{0, 3}(citing:Memory)
  WHERE citing.space = $space
  RETURN citing AS x
  UNION
  MATCH (m)<-[:DERIVED_FROM]-{0, 3}(citing:Memory)-[t:IN_TENSION_WITH]-(other:Memory)
  WHERE citing.space = $space AND other.space = $space AND t.state IN ['open', 'acknowledged']
  RETURN other AS x
}
WITH DISTINCT x.id AS id
WHERE NOT id IN $ids
RETURN id
ORDER BY id
