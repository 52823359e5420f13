CYPHER 25
// What an agent is: the memories that always hold, those that weigh most, and how settled it all is.
// Two walks over the index of tiers: a sort that keeps the first few rows holds no others, and a collection of
// all would. A weight's centre is `alpha / (alpha + beta)`; only active memories count.
// The IS NOT NULL predicate is always true; it lets the composite index serve a space alone.
// $space: string, whose
// $limit: integer, how many of those that weigh most; immutable ones are apart
// $settled: float, centre above which a memory is part of who one is
// returns: one row: immutable (list of maps), weightiest (list of maps, heaviest first), memories (integer),
//   density (float, average centre of the settled ones, 0 where there are none)
CALL () {
  MATCH (m:Memory {space: $space})
  WHERE m.tier IS NOT NULL AND m.status = 'active'
  WITH m, m.weight_alpha / (m.weight_alpha + m.weight_beta) AS center
  WITH
    count(*) AS memories,
    coalesce(avg(CASE WHEN center > $settled THEN center END), 0.0) AS density,
    collect(CASE WHEN m.immutable THEN m END) AS held
  UNWIND CASE held WHEN [] THEN [null] ELSE held END AS m
  WITH memories, density, m ORDER BY m.id
  RETURN memories, density, collect(m {.*, embedding: null, embedding_b: null}) AS immutable
}
CALL () {
  MATCH (m:Memory {space: $space})
  WHERE m.tier IS NOT NULL AND m.status = 'active'
  // Read with the weight: a filter between sorting and limiting would have all rows sorted and held.
  WITH m, m.weight_alpha / (m.weight_alpha + m.weight_beta) AS center, m.immutable AS immutable
  WHERE NOT immutable
  WITH m, center ORDER BY center DESC, m.id LIMIT $limit
  RETURN collect(m {.*, embedding: null, embedding_b: null}) AS weightiest
}
RETURN immutable, weightiest, memories, density
