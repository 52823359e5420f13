CYPHER 25
// What do I remember? The newest memories, what was concluded before what was said, each with what it mentions, replaces
// and disagrees with.
// $space: string, whose
// $limit: integer, most memories
// returns: memory, each one, those without a relationship too; path, from it to an entity or another memory, or null
MATCH (memory:Memory {space: $space})
WHERE memory.tier IS NOT NULL AND memory.status IN ['active', 'superseded']
WITH memory
ORDER BY memory:Episodic, memory.event_at DESC, memory.id
LIMIT $limit
CALL (memory) {
  OPTIONAL MATCH path = (memory)-[link:MENTIONS|SUPERSEDES|IN_TENSION_WITH]->(other)
  WHERE other.space = $space
  RETURN path
  ORDER BY type(link) DESC, coalesce(other.key, other.id)
  LIMIT 4
}
RETURN memory, path
