CYPHER 25
// Lay association edges by hand, instead of all that there are.
// $space: string, whose
// $edges: list of maps {low, high (ids), weight, at (datetime, when it weighed that)}
CALL () {
  MATCH (m:Memory)-[c:CO_ACCESSED]->()
  WHERE m.space = $space AND m.id > ''
  DELETE c
  RETURN count(*) AS gone
}
UNWIND $edges AS edge
MATCH (a:Memory {id: edge.low})
WHERE a.space = $space
MATCH (b:Memory {id: edge.high})
CREATE (a)-[:CO_ACCESSED {weight: edge.weight, weight_at: edge.at, last_at: edge.at, first_at: edge.at, count: 1}]->(b)
