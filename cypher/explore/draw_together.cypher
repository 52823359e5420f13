CYPHER 25
// What goes together? The memories used last, each with the three that were used together with it most often, the
// cluster that it belongs to, and what it strengthened.
// $space: string, whose
// $limit: integer, most memories to start from
// returns: path, from a memory to what goes with it
MATCH (memory:Memory {space: $space})
WHERE memory.last_accessed_at IS NOT NULL AND memory.status = 'active'
WITH memory
ORDER BY memory.last_accessed_at DESC, memory.id
LIMIT $limit
CALL (memory) {
  MATCH path = (memory)-[link:CO_ACCESSED]-(other:Memory {space: $space})
  RETURN path
  ORDER BY link.weight DESC, other.id
  LIMIT 3
  UNION ALL
  MATCH path = (memory)-[:BELONGS_TO]->(:SemanticCluster {space: $space, status: 'active'})
  RETURN path
  UNION ALL
  MATCH path = (memory)-[link:REINFORCES]->(other:Memory {space: $space})
  RETURN path
  ORDER BY link.at DESC, other.id
  LIMIT 3
}
RETURN path
