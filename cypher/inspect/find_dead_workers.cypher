CYPHER 25
// What workers that died have left: leases in one space that are over and that nobody has ended, and runs of jobs over
// it that began long ago and have no end.
// $space: string, whose
// $before: datetime, a run that began earlier and has no end is dead
// returns: one row: leases (integer), runs (integer)
WITH datetime.realtime() AS at
CALL (at) {
  MATCH (a:ConsolidationAttempt)
  WHERE a.space = $space AND a.lease_until <= at AND a.ended_at IS NULL
  RETURN count(a) AS leases
}
CALL () {
  MATCH (r:JobRun)
  WHERE r.started_at < $before AND r.ended_at IS NULL AND (r.space IS NULL OR r.space = $space)
  RETURN count(r) AS runs
}
RETURN leases, runs
