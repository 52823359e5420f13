CYPHER 25
// The clusters of a space, active or ended.
// Running it twice: no change.
CREATE INDEX semantic_cluster_space IF NOT EXISTS
FOR (c:SemanticCluster) ON (c.space, c.status)
