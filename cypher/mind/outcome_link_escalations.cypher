CYPHER 25
// Link escalations to what came of them: the verdict on what the answer was drawn from, or what the person said next. The
// first stands with the last recall before the call, since the newest turn of the same conversation; the second with the
// feeling at what the person had said. Where nothing came to mind or nothing was felt, that of an earlier turn tells nothing.
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
WITH c, c.at - duration({hours: 1}) AS earliest
CALL (c, earliest) {
  OPTIONAL MATCH (t:Turn)-[:PART_OF]->(:Session {space: $space, id: c.session})
  WHERE t.space = $space AND t.at >= earliest AND t.at <= c.at
  RETURN
    coalesce(max(t.at), earliest) AS begun,
    coalesce(max(CASE t.source_tag WHEN 'external_user' THEN t.at END), earliest) AS asked
}
CALL (c, begun) {
  OPTIONAL MATCH (r:Recall)
  WHERE r.space = $space AND r.at >= begun AND r.at <= c.at AND r.session = c.session
  WITH r ORDER BY r.at DESC, r.id LIMIT 1
  OPTIONAL MATCH (r)-[x:RETURNED]->(:Memory)
  WHERE x.useful IS NOT NULL
  RETURN avg(CASE x.useful WHEN true THEN 1.0 WHEN false THEN 0.0 END) AS verdict
}
CALL (c, asked) {
  OPTIONAL MATCH (d:GutDelta)
  WHERE d.space = $space AND d.at >= asked AND d.at <= c.at AND d.session = c.session AND d.reaction IS NOT NULL
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
