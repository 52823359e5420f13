CYPHER 25
// Put back one record of the associations that a run pruned, as they were, and drop the record.
// An edge that lost an end, or that was made anew, stays as it is.
// $space: string, whose
// $run: string, id of the run that pruned
// $after: string, id of the record after which the next one is taken
// returns: one row: last (string, id of the record; null when there was none), changed (integer, edges put back),
//   orphaned (integer, edges that lost an end), renewed (integer, edges that were made anew)
// Running it twice: the record is gone, and the second run changes nothing.
CALL () {
  MATCH (:JobRun {id: $run})-[:PRUNED]->(p:PrunedEdges)
  WHERE p.space = $space AND p.id > $after
  WITH p ORDER BY p.id LIMIT 1
  SET p._lock = true
  // As a map, since every look at a property that is a list reads all of it.
  RETURN collect(p) AS records, collect(p {.*}) AS pruned
}
CALL (pruned) {
  UNWIND pruned AS each
  UNWIND each.from + each.to AS id
  WITH DISTINCT id
  MATCH (m:Memory {id: id})
  WHERE m.space = $space
  WITH m ORDER BY m.id
  SET m._lock = true
  REMOVE m._lock
  RETURN count(m) AS locked
}
CALL (pruned) {
  UNWIND pruned AS each
  UNWIND range(0, size(each.from) - 1) AS place
  OPTIONAL MATCH (low:Memory {id: each.from[place]})
  WHERE low.space = $space
  OPTIONAL MATCH (high:Memory {id: each.to[place]})
  WHERE high.space = $space
  WITH each, place, low, high, low IS NULL OR high IS NULL AS orphaned
  CALL (each, place, low, high, orphaned) {
    WITH each, place, low, high
    WHERE NOT orphaned AND NOT EXISTS { (low)-[:CO_ACCESSED]->(high) }
    CREATE (low)-[c:CO_ACCESSED {
      weight: each.weight[place],
      weight_at: each.weight_at[place],
      count: each.count[place],
      confidence: CASE WHEN each.confidence[place] < 1.0 THEN each.confidence[place] END,
      first_at: each.first_at[place],
      last_at: each.last_at[place]
    }]->(high)
    RETURN count(c) AS restored
  }
  RETURN
    sum(restored) AS changed,
    sum(CASE WHEN orphaned THEN 1 ELSE 0 END) AS orphaned,
    sum(CASE WHEN orphaned THEN 0 ELSE 1 - restored END) AS renewed
}
FOREACH (p IN records | DETACH DELETE p)
RETURN [each IN pruned | each.id][0] AS last, changed, orphaned, renewed
