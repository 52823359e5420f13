CYPHER 25
// What stands today in the place of memories that were superseded: the end of each one's chain.
// Shortest paths, one to each memory and of twenty steps at most, so that no circle hangs it; a circle has no end, and
// its farthest memory stands for one.
// $space: string, whose
// $ids: list of strings, the memories'
// returns: id, steps (integer, of the chain), replaced_at (datetime, when the memory itself was replaced), at, reason, by
//   (of the last step), memory (map, the end); no row for what was not superseded
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space
CALL (m) {
  MATCH path = ANY SHORTEST (m)((a)<-[links:SUPERSEDES]-(b WHERE b.space = $space)){1,20}(x)
  WHERE x <> m
  RETURN links, x
  ORDER BY EXISTS { (x)<-[:SUPERSEDES]-(:Memory {space: $space}) }, size(links) DESC, x.id
  LIMIT 1
}
RETURN
  id, size(links) AS steps, links[0].at AS replaced_at,
  links[-1].at AS at, links[-1].reason AS reason, links[-1].by AS by,
  x {.*, embedding: null, embedding_b: null} AS memory
