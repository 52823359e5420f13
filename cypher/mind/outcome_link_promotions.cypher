CYPHER 25
// Link promotions to what came of them: bad where they were taken back or what was promoted was withdrawn, replaced or
// contradicted since; else the share of verdicts in the days after that found it useful. Without any, nothing is known yet.
// $space: string, whose
// $limit: integer, promotions at most
// $now: datetime, when
// returns: one row: linked (integer)
// Running it twice: the second run finds each with its outcome and changes nothing.
MATCH (c:BeliefChange {space: $space})
WHERE c.at <= $now AND c.kind = 'promotion' AND NOT EXISTS { (c)-[:LED_TO]->(:Outcome {kind: 'promotion'}) }
WITH c,
  coalesce(c.outcome_useful, 0) AS useful,
  coalesce(c.outcome_useful, 0) + coalesce(c.outcome_useless, 0) AS judged,
  EXISTS {
    MATCH (c)-[:CHANGED {role: 'promoted'}]->(m:Memory)<-[r:CHANGED]-(later:BeliefChange)
    WHERE m.space = $space
      AND later.space = $space
      AND later.at > c.at
      AND later.undone_at IS NULL
      AND ((later.kind = 'withdrawal' AND r.role = 'insight') OR later.kind = 'tension')
  }
  // A person replaces without a change of belief on record, and whoever takes that back leaves no edge.
  OR EXISTS {
    MATCH (c)-[:CHANGED {role: 'promoted'}]->(m:Memory)<-[s:SUPERSEDES]-(:Memory)
    WHERE m.space = $space AND s.at > c.at
  } AS against
WITH c, useful, judged,
  CASE
    WHEN c.undone_at IS NOT NULL THEN 'taken back'
    WHEN against THEN 'withdrawn, replaced or contradicted since'
    WHEN judged > 0 THEN toString(useful) + ' of ' + toString(judged) + ' verdicts found it useful'
  END AS why,
  c.undone_at IS NOT NULL OR against AS bad
WHERE why IS NOT NULL
WITH c, useful, judged, why, bad ORDER BY c.at, c.id LIMIT $limit
MERGE (o:Outcome {id: $space + ':promotion:' + c.id})
  ON CREATE SET
    o.space = $space,
    o.kind = 'promotion',
    o.at = $now,
    o.good = CASE WHEN bad THEN 0.0 ELSE toFloat(useful) / judged END,
    o.why = why
WITH c, o
WHERE o.space = $space
MERGE (c)-[:LED_TO]->(o)
RETURN count(o) AS linked
