CYPHER 25
// What came of promotions: the verdicts on recalls of the memory in a stretch of time before and in as long a one after.
// Both have fixed ends, so that it does not matter when this looks. What was taken back has no outcome.
// $space: string, whose
// $since: datetime, promotions from then on; the recalls of earlier ones are not on record any more
// $days: integer, how long either stretch is
// $limit: integer, how many promotions at most
// $now: datetime, the later stretch is over by then
// returns: one row: changed (integer, promotions), examples (list of maps {id, useful, useless}, five at most)
// Running it twice: the second run finds each with its outcome and changes nothing.
MATCH (c:BeliefChange {space: $space})
WHERE c.at >= $since AND c.at <= $now - duration({days: $days})
  AND c.kind = 'promotion'
  AND c.outcome_at IS NULL
  AND c.undone_at IS NULL
WITH c ORDER BY c.at, c.id LIMIT $limit
WITH c, c.at - duration({days: $days}) AS begin, c.at + duration({days: $days}) AS end
CALL (c, begin, end) {
  MATCH (c)-[:CHANGED {role: 'promoted'}]->(m:Memory)<-[x:RETURNED]-(r:Recall)
  WHERE m.space = $space AND r.space = $space AND r.at >= begin AND r.at < end
  RETURN
    count(CASE WHEN x.useful AND r.at < c.at THEN 1 END) AS before_useful,
    count(CASE WHEN NOT x.useful AND r.at < c.at THEN 1 END) AS before_useless,
    count(CASE WHEN x.useful AND r.at >= c.at THEN 1 END) AS useful,
    count(CASE WHEN NOT x.useful AND r.at >= c.at THEN 1 END) AS useless
}
SET
  c.before_useful = before_useful,
  c.before_useless = before_useless,
  c.outcome_useful = useful,
  c.outcome_useless = useless,
  c.outcome_at = end
RETURN count(c) AS changed, collect({id: c.id, useful: useful, useless: useless})[..5] AS examples
