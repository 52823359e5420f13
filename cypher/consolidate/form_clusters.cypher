CYPHER 25
// Form clusters, or form them anew where they have become others; their members come next.
// The centroid is the mean of the members' embeddings, which are unit vectors, made unit again. The length of that mean
// is their mean cosine to the centroid: the cohesion.
// $space: string, whose
// $rows: list of maps {id, size, label, sample (ids of the members that the centroid is taken from), split_from (id of
//   the cluster that it was a part of, or null)}, ascending by id
// $now: datetime, when
// Running it twice: the same clusters.
UNWIND $rows AS row
CALL (row) {
  UNWIND row.sample AS id
  MATCH (m:Memory {id: id})
  WHERE m.space = $space AND m.embedding IS NOT NULL
  WITH collect(m.embedding) AS vectors
  WHERE size(vectors) > 0
  RETURN [
    place IN range(0, size(vectors[0]) - 1) |
    reduce(total = 0.0, vector IN vectors | total + vector[place]) / size(vectors)
  ] AS mean
}
WITH row, mean, sqrt(reduce(total = 0.0, x IN mean | total + x * x)) AS length
WHERE length > 0
MERGE (c:SemanticCluster {id: row.id})
  ON CREATE SET
    c.space = $space,
    c.formed_at = $now
WITH c, row, mean, length
WHERE c.space = $space
SET
  c.status = 'active',
  c.updated_at = $now,
  c.size = row.size,
  c.label = row.label,
  c.centroid = [x IN mean | x / length],
  c.centroid_b = null, // a reindex takes it from the members again
  c.cohesion = length
WITH c, row
MATCH (whole:SemanticCluster {id: row.split_from})
WHERE whole.space = $space
MERGE (c)-[s:SPLIT_FROM]->(whole)
  ON CREATE SET s.at = $now
