CYPHER 25
// Give the clusters and the closed boxes of a space that have no centroid in a slot the mean of their memories' vectors in
// it, made unit, as those who form them do. What was erased from them is told by the other slot, which has none either.
// $space: string, whose
// $property: string, the slot's property of memories
// $centroid: string, the slot's property of clusters and boxes
// $other: string, the other slot's property of those
// $sample: integer, memories that the mean is taken of at most
// Running it twice: no change.
CALL () {
  MATCH (n:SemanticCluster)
  WHERE n.space = $space
  RETURN n
  UNION ALL
  MATCH (n:MemoryBox)
  WHERE n.space = $space
  RETURN n
}
WITH n
WHERE n[$centroid] IS NULL AND n[$other] IS NOT NULL
CALL (n) {
  MATCH (n)<-[:BELONGS_TO|IN_BOX]-(m:Memory)
  WHERE m.space = $space AND m[$property] IS NOT NULL
  WITH n, m ORDER BY m.id LIMIT $sample
  WITH n, collect(m[$property]) AS vectors
  WITH n, [
    place IN range(0, size(vectors[0]) - 1) |
    reduce(total = 0.0, vector IN vectors | total + vector[place]) / size(vectors)
  ] AS mean
  WITH n, mean, sqrt(reduce(total = 0.0, x IN mean | total + x * x)) AS length
  WHERE length > 0
  SET n[$centroid] = [x IN mean | x / length]
} IN TRANSACTIONS OF 50 ROWS
