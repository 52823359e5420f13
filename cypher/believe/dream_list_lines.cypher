CYPHER 25
// Memories whose one line was made before it was known what they belong to, and leaves something out, with what else is in
// the cluster.
// $space: string, whose
// $limit: integer, how many at most
// $company: integer, members of a cluster that are told of each
// returns: id, content, compressed (strings), version (integer), cluster (string), label (string or null), centroid (list of
//   floats or null), company (list of strings, what other members say), by cluster
MATCH (c:SemanticCluster {space: $space, status: 'active'})<-[:BELONGS_TO]-(m:Memory)
WHERE m.space = $space AND m.status = 'active' AND m.compressed_by IS NULL
  AND size(m.compressed) < size(m.content)
WITH c, m ORDER BY c.id, m.id LIMIT $limit
RETURN
  m.id AS id, m.content AS content, m.compressed AS compressed, m.version AS version, c.id AS cluster,
  c.label AS label, c.centroid AS centroid,
  COLLECT {
    MATCH (c)<-[b:BELONGS_TO]-(n:Memory)
    WHERE n.space = $space AND n.status = 'active' AND n <> m
    WITH n ORDER BY b.strength DESC, n.id LIMIT $company
    RETURN coalesce(n.compressed, left(n.content, 200)) AS line
  } AS company
ORDER BY cluster, id
