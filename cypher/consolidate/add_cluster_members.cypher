CYPHER 25
// Let memories belong to clusters, as strongly as they are near the centroid.
// $space: string, whose
// $pairs: list of lists of two ids, the memory's and the cluster's, ascending
// returns: one row: changed (integer, memberships that are or stay there)
// Running it twice: the same memberships.
UNWIND $pairs AS pair
MATCH (m:Memory {id: pair[0]})
WHERE m.space = $space
SET m._lock = true
REMOVE m._lock
WITH collect({memory: m, cluster: pair[1]}) AS locked
UNWIND locked AS each
MATCH (c:SemanticCluster {id: each.cluster})
WHERE c.space = $space
WITH each.memory AS m, c
// What was archived meanwhile is not a member any more.
WHERE m.status = 'active'
WITH m, c ORDER BY c.id, m.id
MERGE (m)-[b:BELONGS_TO]->(c)
// While a vector is still to be made, the strength stays as it was.
SET b.strength = coalesce(2.0 * vector.similarity.cosine(m.embedding, c.centroid) - 1.0, b.strength, 0.0)
RETURN count(b) AS changed
