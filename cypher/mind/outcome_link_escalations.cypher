CYPHER 25
// Link escalations to what came of them: the verdict on what the answer was drawn from, or what the person said next. Both
// stand with the last recall and the last feeling before the call, of the same conversation.
// $space: string, whose
// $limit: integer, escalations at most
// $since: datetime, calls from then on; recalls of earlier ones are not on record any more
// $now: datetime, when
// returns: one row: linked (integer)
// Running it twice: the second run finds each with its outcome and changes nothing.
MATCH (c:LlmCall)
WHERE c.space = $space
  AND c.at >= $since
  AND c.at <= $now
  AND c.purpose = 'deliberate'
  AND c.session IS NOT NULL
  AND NOT EXISTS { (c)-[:LED_TO]->(:Outcome {kind: 'escalation'}) }
CALL (c) {
  OPTIONAL MATCH (r:Recall)
  WHERE r.space = $space AND r.at >= c.at - duration({hours: 1}) AND r.at <= c.at AND r.session = c.session
  WITH r ORDER BY r.at DESC, r.id LIMIT 1
  OPTIONAL MATCH (r)-[x:RETURNED]->(:Memory)
  WHERE x.useful IS NOT NULL
  RETURN avg(CASE x.useful WHEN true THEN 1.0 WHEN false THEN 0.0 END) AS verdict
}
CALL (c) {
  OPTIONAL MATCH (d:GutDelta)
  WHERE d.space = $space AND d.at >= c.at - duration({hours: 1}) AND d.at <= c.at AND d.session = c.session
  WITH d ORDER BY d.at DESC, d.id LIMIT 1
  RETURN d.reaction AS reaction
}
WITH c, verdict, reaction
WHERE verdict IS NOT NULL OR reaction IS NOT NULL
WITH c, verdict, reaction ORDER BY c.at, c.id LIMIT $limit
MERGE (o:Outcome {id: $space + ':escalation:' + c.id})
  ON CREATE SET
    o.space = $space,
    o.kind = 'escalation',
    o.at = $now,
    o.good = coalesce(verdict, CASE reaction WHEN 'thanked' THEN 1.0 ELSE 0.0 END),
    o.why = CASE WHEN verdict IS NOT NULL THEN 'a verdict on the answer' ELSE reaction + ' right after' END
WITH c, o
WHERE o.space = $space
MERGE (c)-[:LED_TO]->(o)
RETURN count(o) AS linked
