CYPHER 25
// Memories of one batch that are in more than one cluster that is active.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// returns: one row: last (string, id of the last memory looked at; null when there was none), found (list of maps
//   {check, broken, examples (ids, five at most)})
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH m.id AS id, count { (m)-[:BELONGS_TO]->(:SemanticCluster {status: 'active'}) } AS clusters
WITH max(id) AS last, collect(CASE
  // Between two clusters while they are being formed.
  WHEN clusters > 1 AND NOT EXISTS {
    MATCH (a:ConsolidationAttempt {id: $space + ':cluster'})
    WHERE a.lease_until > datetime.realtime()
  }
  THEN id
END) AS ids
RETURN last, [{check: 'double membership', broken: size(ids), examples: ids[..5]}] AS found
