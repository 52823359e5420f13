CYPHER 25
// Clusters by id.
// Running it twice: no change.
CREATE CONSTRAINT semantic_cluster_id IF NOT EXISTS
FOR (c:SemanticCluster) REQUIRE c.id IS UNIQUE
