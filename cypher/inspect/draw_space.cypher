CYPHER 25
// Draw the newest memories of a space with what they rest on, replace, follow and mention, in Neo4j Browser.
// A node without a space hangs from one that has it, so only a space that differs is kept out.
// $space: string, whose
// $limit: integer, most memories
// returns: memory, each one, those without a relationship too; path, one step from it to a turn, an
//   entity or another memory, or null
MATCH (memory:Memory {space: $space})
WHERE memory.tier IS NOT NULL AND memory.status IS NOT NULL
WITH memory
ORDER BY memory.event_at DESC, memory.id
LIMIT $limit
OPTIONAL MATCH path = (memory)-[]->(other)
WHERE coalesce(other.space, $space) = $space
RETURN memory, path
