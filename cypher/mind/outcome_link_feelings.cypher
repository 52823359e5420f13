CYPHER 25
// Link feelings to what came of them: the verdict on what was recalled until the next one of the same conversation, an hour at
// most, or what the person said next.
// $space: string, whose
// $limit: integer, feelings at most
// $since: datetime, feelings from then on; recalls of earlier ones are not on record any more
// $now: datetime, when
// returns: one row: linked (integer)
// Running it twice: the second run finds each with its outcome and changes nothing.
MATCH (d:GutDelta)
WHERE d.space = $space
  AND d.at >= $since
  AND d.at <= $now
  AND NOT EXISTS { (d)-[:LED_TO]->(:Outcome {kind: 'feeling'}) }
CALL (d) {
  OPTIONAL MATCH (next:GutDelta)
  WHERE next.space = $space
    AND next.at > d.at
    AND next.at <= d.at + duration({hours: 1})
    AND next.session = d.session
  RETURN coalesce(min(next.at), d.at + duration({hours: 1})) AS until
}
CALL (d, until) {
  MATCH (r:Recall)-[x:RETURNED]->(:Memory)
  WHERE r.space = $space AND r.at >= d.at AND r.at < until AND r.session = d.session AND x.useful IS NOT NULL
  RETURN avg(CASE x.useful WHEN true THEN 1.0 WHEN false THEN 0.0 END) AS verdict
}
WITH d, verdict
WHERE verdict IS NOT NULL OR d.reaction IS NOT NULL
WITH d, verdict ORDER BY d.at, d.id LIMIT $limit
MERGE (o:Outcome {id: $space + ':feeling:' + d.id})
  ON CREATE SET
    o.space = $space,
    o.kind = 'feeling',
    o.at = $now,
    o.good = coalesce(verdict, CASE d.reaction WHEN 'thanked' THEN 1.0 ELSE 0.0 END),
    o.why = CASE WHEN verdict IS NOT NULL THEN 'a verdict on what came to mind' ELSE d.reaction + ' right after' END
WITH d, o
WHERE o.space = $space
MERGE (d)-[:LED_TO]->(o)
RETURN count(o) AS linked
