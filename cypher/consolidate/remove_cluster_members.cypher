CYPHER 25
// Let memories belong to clusters no more.
// $space: string, whose
// $pairs: list of lists of two ids, the memory's and the cluster's, ascending
// returns: one row: changed (integer)
// Running it twice: the second run changes nothing.
UNWIND $pairs AS pair
MATCH (m:Memory {id: pair[0]})
WHERE m.space = $space
SET m._lock = true
REMOVE m._lock
WITH collect({memory: m, cluster: pair[1]}) AS locked
UNWIND locked AS each
WITH each.memory AS m, each.cluster AS cluster
MATCH (m)-[b:BELONGS_TO]->(c:SemanticCluster {id: cluster})
DELETE b
RETURN count(b) AS changed
