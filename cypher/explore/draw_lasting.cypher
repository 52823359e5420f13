CYPHER 25
// What has lasted? Memories that moved on to slower tiers, each with the snapshots of what it was before.
// $space: string, whose
// $limit: integer, most memories
// returns: path, from the first snapshot through the later ones to the memory
MATCH (memory:Memory {space: $space})
WHERE memory.tier IN ['shortTerm', 'longTerm'] AND memory.status = 'active'
WITH memory
ORDER BY memory.tier, memory.energy_at DESC, memory.id
LIMIT $limit
MATCH path = (first:Archived {space: $space})
  ((a)-[:PROMOTED_TO|CRYSTALLIZED_INTO]->(b WHERE b.space = $space)){1,3}(memory)
WHERE NOT EXISTS { (first)<-[:PROMOTED_TO]-() }
RETURN path
