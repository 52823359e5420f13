CYPHER 25
// Lock the levels of the three signals and read them, so that two who raise one queue up.
// $space: string, whose
// $now: datetime, when
// returns: one row: achievement, friction, bonding (floats or null), signals_at, counted_at (datetimes or null)
// Running it twice: no visible change; the lock lasts until the transaction ends.
MERGE (a:AgentManifest {space: $space})
  ON CREATE SET
    a.created_at = $now,
    a.restarts = 0,
    a.uptime_hours = 0.0
SET a._lock = true
REMOVE a._lock
RETURN
  a.achievement AS achievement, a.friction AS friction, a.bonding AS bonding, a.signals_at AS signals_at,
  a.counted_at AS counted_at
