CYPHER 25
// Relationships of one batch of memories: associations lead from the lower to the higher id, once, and have a weight;
// nothing leads into another space.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// returns: one row: last (string, id of the last memory looked at; null when there was none), found (list of maps
//   {check, broken (relationships), examples (ids of memories, five at most)})
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
CALL (batch) {
  UNWIND batch AS m
  CALL (m) {
    MATCH (m)-[c:CO_ACCESSED]->(partner)
    UNWIND [
      CASE WHEN partner = m THEN 'edge to itself' END,
      CASE WHEN partner.id < m.id THEN 'edge direction' END,
      CASE WHEN NOT coalesce(c.weight > 0.0 AND c.weight < INF, false) THEN 'edge weight' END
    ] AS check
    WITH check
    WHERE check IS NOT NULL
    RETURN check, 1 AS times
    UNION ALL
    MATCH (m)-[c:CO_ACCESSED]->(partner)
    WITH partner, count(c) AS edges
    WHERE edges > 1
    RETURN 'double edge' AS check, edges - 1 AS times
    UNION ALL
    MATCH (m)--(other)
    WHERE other.space <> $space
    RETURN 'other space' AS check, 1 AS times
  }
  WITH check, sum(times) AS broken, collect(DISTINCT m.id) AS ids
  RETURN collect({check: check, broken: broken, examples: ids[..5]}) AS found
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, found
