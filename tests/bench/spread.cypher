CYPHER 25
// Spreading alone, as recall/find_candidates does it: the strongest partners of the seeds, and theirs.
// $seeds: list of strings, ids of memories
// $partners: integer, how many partners of each
// $hops: integer, 1 or 2
// returns: reached (list of ids), edges (list of lists: from, to, weight, hop, fan)
CALL () {
  UNWIND $seeds AS id
  MATCH (s:Memory {id: id})
  CALL (s) {
    MATCH (s)-[c:CO_ACCESSED]-(p:Memory)
    RETURN p, c.weight AS weight
    ORDER BY weight DESC, p.id
    LIMIT $partners
  }
  RETURN
    collect(p) AS near,
    collect([s.id, p.id, weight, 1, count { (s)-[:CO_ACCESSED]-() }]) AS near_edges
}
CALL (near) {
  WITH near
  WHERE $hops = 2
  UNWIND near AS s
  WITH DISTINCT s
  CALL (s) {
    MATCH (s)-[c:CO_ACCESSED]-(p:Memory)
    RETURN p, c.weight AS weight
    ORDER BY weight DESC, p.id
    LIMIT $partners
  }
  RETURN
    collect(p) AS far,
    collect([s.id, p.id, weight, 2, count { (s)-[:CO_ACCESSED]-() }]) AS far_edges
}
RETURN [m IN near + far | m.id] AS reached, near_edges + far_edges AS edges
