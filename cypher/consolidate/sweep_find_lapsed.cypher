CYPHER 25
// The attempts whose lease is over and that nobody has ended: their workers died.
// $space: string, whose
// returns: id, ascending
MATCH (a:ConsolidationAttempt)
WHERE a.space = $space
  AND a.lease_until <= datetime.realtime()
  AND (a.ended_at IS NULL OR EXISTS { (a)<-[:CONSOLIDATING]-() })
RETURN a.id AS id
ORDER BY id
