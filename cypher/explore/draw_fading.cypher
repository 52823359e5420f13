CYPHER 25
// What is fading? Working memories that leave the working set within a day, then those that left it last, with what they
// mention, follow and belong to. Fading is no loss: a search still finds them, and being found revives them.
// $space: string, whose
// $now: datetime, the time that this is asked at
// $limit: integer, most memories
// returns: memory, each one; path, from it to what it mentions, follows or belongs to, or null
MATCH (memory:Memory {space: $space, tier: 'working', status: 'active'})
WHERE memory.expires_at <= $now + duration('P1D')
WITH memory
ORDER BY memory.expires_at DESC, memory.id
LIMIT $limit
CALL (memory) {
  OPTIONAL MATCH path = (memory)-[link:MENTIONS|FOLLOWS|BELONGS_TO]->(other)
  WHERE other.space = $space
  RETURN path
  ORDER BY type(link), coalesce(other.key, other.id)
  LIMIT 4
}
RETURN memory, path
