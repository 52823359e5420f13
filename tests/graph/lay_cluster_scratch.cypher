CYPHER 25
// Leave what a run that was killed in its middle would: labels, marks, and a lease that is over or not.
// $space: string, whose
// $lease: string, the lease's id, or null for none
// $seconds: integer, how long the lease holds still
MATCH (m:Memory)
WHERE m.space = $space
SET m._community = 'left behind'
WITH count(*) AS memories
CALL () {
  MATCH (m:Memory)-[c:CO_ACCESSED]->()
  WHERE m.space = $space
  SET c._binding = 10000000
}
WITH memories
UNWIND CASE WHEN $lease IS NULL THEN [] ELSE [$lease] END AS id
CREATE (:ConsolidationAttempt {
  id: id,
  space: $space,
  phase: 'cluster',
  run: 'killed',
  started_at: datetime.realtime(),
  lease_until: datetime.realtime() + duration({seconds: $seconds})
})
