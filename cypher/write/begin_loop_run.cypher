CYPHER 25
// A run of the loop begins: count it in the space's manifest, and close the runs that died without saying so, with the
// time at which they were last seen.
// $space: string, whose
// $run: map {id, session, host, pid, process_started_at, idle (true, or null)}: the run's properties; in an idle one nobody
//   talks, so it is no restart and does not count as having been there
// $dead: list of strings, ids of runs that are over
// $now: datetime, when
// returns: one row: created_at (datetime, the first run's), last_seen_at (datetime or null), restarts (integer),
//   uptime_hours (float)
// Running it twice: the second run counts nothing.
MERGE (a:AgentManifest {space: $space})
  ON CREATE SET
    a.created_at = $now,
    a.restarts = 0,
    a.uptime_hours = 0.0
SET a._lock = true
REMOVE a._lock
WITH a
CALL (a) {
  UNWIND $dead AS id
  MATCH (r:LoopRun {id: id})
  WHERE r.space = $space AND r.ended_at IS NULL
  SET
    r.ended_at = r.seen_at,
    r.died = true
  RETURN coalesce(sum((r.seen_at.epochMillis - r.started_at.epochMillis) / 3.6e6), 0.0) AS hours
}
SET a.uptime_hours = a.uptime_hours + hours
WITH a
CALL () {
  MATCH (r:LoopRun {space: $space})
  WHERE r.id <> $run.id AND r.idle IS NULL
  RETURN max(r.seen_at) AS seen
}
// Runs are rolled up after a while; the manifest stays.
WITH a, CASE WHEN a.last_seen_at > seen THEN a.last_seen_at ELSE coalesce(seen, a.last_seen_at) END AS last_seen_at
MERGE (r:LoopRun {id: $run.id})
  ON CREATE SET
    r += $run,
    r.space = $space,
    r.started_at = $now,
    r.seen_at = $now,
    a.restarts = a.restarts + CASE WHEN last_seen_at IS NULL OR $run.idle THEN 0 ELSE 1 END
RETURN
  a.created_at AS created_at,
  last_seen_at,
  a.restarts AS restarts,
  a.uptime_hours AS uptime_hours
