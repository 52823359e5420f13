CYPHER 25
// What contradicts? Pairs of memories in tension, those that nothing has settled first, each side with what it rests on,
// and the memory that says so where there is one.
// $space: string, whose
// $limit: integer, most pairs
// returns: path, one side, its tension and the other; or from a side to what it rests on, or to it from what says so
MATCH tension = (one:Memory {space: $space})-[t:IN_TENSION_WITH {space: $space}]->(other:Memory {space: $space})
WHERE t.state IS NOT NULL
WITH tension, one, other
ORDER BY t.state IN ['open', 'acknowledged'] DESC, t.at DESC, one.id, other.id
LIMIT $limit
CALL (tension, one, other) {
  RETURN tension AS path
  UNION ALL
  UNWIND [one, other] AS side
  CALL (side) {
    MATCH path = (side)-[:DERIVED_FROM]->(source)
    WHERE source.space = $space
    RETURN path
    ORDER BY source.id
    LIMIT 3
  }
  RETURN path
  UNION ALL
  MATCH path = (one)<-[:TENSION_BETWEEN]-(said:Memory {space: $space})-[:TENSION_BETWEEN]->(other)
  RETURN path
}
RETURN path
