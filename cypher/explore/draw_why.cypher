CYPHER 25
// Why do I believe this? From one memory to all that it rests on, replaces and disagrees with, down to the sentences that
// were said and their conversations, and to what has replaced it since.
// One shortest path to each thing, so that neither a circle nor a lattice of sources makes it endless.
// $space: string, whose
// $id: string, the memory's, or its beginning; '' for one that has much behind it, among the 500 that were used last
// $limit: integer, most things that are reached
// returns: memory; path, from it to one of the things it rests on, the nearest first, or null
CALL () {
  MATCH (memory:Memory)
  WHERE $id <> '' AND memory.space = $space AND memory.id STARTS WITH $id
  RETURN memory
  ORDER BY memory.id
  LIMIT 1
  UNION ALL
  MATCH (recent:Memory {space: $space})
  WHERE $id = '' AND recent.last_accessed_at IS NOT NULL
  WITH recent
  ORDER BY recent.last_accessed_at DESC
  LIMIT 500
  WITH recent AS memory,
    exists { (recent)-[:SUPERSEDES]->() } AS changed,
    count { (recent)-[:DERIVED_FROM]->() } AS sources
  RETURN memory
  ORDER BY changed DESC, sources DESC, memory.id
  LIMIT 1
}
CALL (memory) {
  MATCH path = ANY SHORTEST (memory)
    ((a)-[:DERIVED_FROM|SUPERSEDES|IN_TENSION_WITH|PART_OF]->(b WHERE b.space = $space)){1,6}(found)
  RETURN path
  UNION ALL
  MATCH path = ANY SHORTEST (memory)((a)<-[:SUPERSEDES]-(b WHERE b.space = $space)){1,6}(found)
  RETURN path
  UNION ALL
  MATCH path = (memory)<-[:IN_TENSION_WITH]-(other:Memory {space: $space})
  RETURN path
  UNION ALL
  RETURN null AS path
}
WITH memory, path
ORDER BY length(path)
LIMIT $limit
RETURN memory, path
