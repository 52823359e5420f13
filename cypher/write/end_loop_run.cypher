CYPHER 25
// A run of the loop ends: its time counts towards the space's uptime.
// $space: string, whose
// $run: string, the run's id
// $now: datetime, when
// returns: uptime_hours (float, of all runs)
// Running it twice: no change.
MATCH (a:AgentManifest {space: $space})
SET a._lock = true
REMOVE a._lock
WITH a
MATCH (r:LoopRun {id: $run})
WHERE r.space = $space AND r.ended_at IS NULL
SET
  r.ended_at = $now,
  r.seen_at = $now,
  a.last_seen_at = CASE WHEN r.idle THEN a.last_seen_at ELSE $now END,
  a.uptime_hours = a.uptime_hours + ($now.epochMillis - r.started_at.epochMillis) / 3.6e6
RETURN a.uptime_hours AS uptime_hours
