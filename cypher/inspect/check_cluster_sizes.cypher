CYPHER 25
// Clusters of one batch that say a size that they do not have.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, clusters looked at
// returns: one row: last (string, id of the last cluster looked at; null when there was none), found (list of maps
//   {check, broken, examples (ids, five at most)})
MATCH (c:SemanticCluster)
WHERE c.space = $space AND c.id > $after
WITH c ORDER BY c.id LIMIT $batch_size
WITH c.id AS id, coalesce(c.size = count { (c)<-[:BELONGS_TO]-(:Memory) }, false) OR EXISTS {
  // They are being formed anew.
  MATCH (a:ConsolidationAttempt {id: $space + ':cluster'})
  WHERE a.lease_until > datetime.realtime()
} AS right
WITH max(id) AS last, collect(CASE WHEN NOT right THEN id END) AS ids
RETURN last, [{check: 'cluster size', broken: size(ids), examples: ids[..5]}] AS found
