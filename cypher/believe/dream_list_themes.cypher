CYPHER 25
// Insights that a narrative may tell of, the newest first, with what they rest on and the narratives that do.
// $space: string, whose
// $limit: integer, how many insights at most
// returns: insight (map {id, content, event_at, created_at, depth}), cites (list of maps {id, content, speaker, event_at,
//   cluster (id or null), size (integer, of the cluster)}, ascending by id), narratives (list of maps {id, about (what it
//   tells of), told_of (list of ids, of what it was told of last)})
MATCH (i:Reflection {space: $space})
WHERE i.status = 'active' AND i.dreamed IN ['insight', 'merge']
WITH i ORDER BY i.created_at DESC, i.id LIMIT $limit
RETURN
  i {.id, .content, .event_at, .created_at, depth: coalesce(i.dream_depth, 1)} AS insight,
  COLLECT {
    MATCH (i)-[:DERIVED_FROM]->(s:Memory)
    WHERE s.space = $space AND s.status = 'active'
    OPTIONAL MATCH (s)-[:BELONGS_TO]->(c:SemanticCluster)
    WHERE c.space = $space AND c.status = 'active'
    WITH s, min(c.id) AS cluster, max(c.size) AS size
    ORDER BY s.id
    RETURN s {.id, .content, .speaker, .event_at, cluster: cluster, size: coalesce(size, 0)}
  } AS cites,
  COLLECT {
    MATCH (i)<-[:DERIVED_FROM]-(n:Memory:Narrative)
    WHERE n.space = $space AND n.status = 'active'
    RETURN n {.id, about: n.narrates, told_of: coalesce(n.told_of, [])}
  } AS narratives
