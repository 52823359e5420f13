CYPHER 25
// Take the vectors of one slot from the goals of a space, and the mean vectors from its clusters, boxes and traces.
// $space: string, whose
// $property: string, the slot's property of goals
// $centroid: string, the slot's property of the others
// Running it twice: no change.
CALL () {
  MATCH (n:Goal)
  WHERE n.space = $space
  RETURN n
  UNION ALL
  MATCH (n:SemanticCluster)
  WHERE n.space = $space
  RETURN n
  UNION ALL
  MATCH (n:MemoryBox)
  WHERE n.space = $space
  RETURN n
  UNION ALL
  MATCH (n:Trace)
  WHERE n.space = $space
  RETURN n
}
WITH n
WHERE n[$property] IS NOT NULL OR n[$centroid] IS NOT NULL
CALL (n) {
  SET
    n[$property] = null,
    n[$centroid] = null
} IN TRANSACTIONS OF 500 ROWS
