CYPHER 25
// Let one batch of memories fade: write what elapsed time has left of their energy, and what idle time says
// against their weight.
// Both are functions of elapsed time, so it does not matter how often this runs. Elapsed time comes from the
// epoch, in microseconds; duration components would truncate. Rows that hardly moved are left alone. expires_at
// stays: settling does not change when a memory expires. Idle days count from the last use and are written some
// at a time; what was counted since then is on the memory.
// $space: string, whose
// $after: string, id after which the batch begins
// $until: string, the last id that it may hold
// $batch_size: integer, memories looked at
// $energy: map with rates (map, tier to decay per hour)
// $tolerance: float, the least change of energy that is worth a write
// $weight: map {tick (evidence a day), tick_days, stale_days, stale_accesses, stale_contradict, stale_every_days}
// $now: datetime, the time to settle at
// returns: last (string, id of the last memory looked at; null when there was none), changed (integer),
//   examples (list of maps {id, energy, energy_now}, five at most)
// Running it twice: at one instant the second run changes nothing.
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after AND m.id <= $until
WITH m ORDER BY m.id LIMIT $batch_size
WITH collect(m) AS batch
WITH batch, $now.epochSeconds AS seconds, $now.microsecond AS micros
WITH batch, seconds, micros, [
  m IN batch WHERE
    m.energy * (1.0 - exp(
      -$energy.rates[coalesce(m.due_tier, m.tier)]
        * ((seconds - m.energy_at.epochSeconds) / 3600.0 + (micros - m.energy_at.microsecond) / 3.6e9)
    )) > $tolerance
    OR (
      (seconds - m.last_accessed_at.epochSeconds) / 86400
        >= $weight.tick_days
          * (1 + CASE WHEN m.idle_since = m.last_accessed_at THEN m.idle_ticks ELSE 0 END)
      AND NOT m.immutable
    )
    OR (
      (seconds - m.last_accessed_at.epochSeconds) / 86400
        >= $weight.stale_days + $weight.stale_every_days
          * CASE WHEN m.idle_since = m.last_accessed_at THEN m.idle_quarters ELSE 0 END
      AND m.access_count < $weight.stale_accesses
      AND NOT m.immutable
    )
] AS due
CALL (due, seconds, micros) {
  // Ids ascend, so concurrent writers queue. What is changed is read again once the locks are held.
  UNWIND due AS m
  SET m._lock = true
  REMOVE m._lock
  WITH collect(m) AS locked
  UNWIND locked AS m
  WITH m,
    (seconds - m.energy_at.epochSeconds) / 3600.0 + (micros - m.energy_at.microsecond) / 3.6e9 AS hours,
    CASE WHEN m.immutable THEN 0 ELSE (seconds - m.last_accessed_at.epochSeconds) / 86400 END AS idle,
    coalesce(m.idle_since = m.last_accessed_at, false) AS counted
  WITH m, hours,
    m.energy AS energy,
    m.energy * exp(-$energy.rates[coalesce(m.due_tier, m.tier)] * hours) AS energy_now,
    CASE WHEN idle > 0 THEN idle / $weight.tick_days ELSE 0 END AS ticks,
    CASE
      WHEN idle >= $weight.stale_days AND m.access_count < $weight.stale_accesses
      THEN 1 + (idle - $weight.stale_days) / $weight.stale_every_days
      ELSE 0
    END AS quarters,
    CASE WHEN counted THEN m.idle_ticks ELSE 0 END AS old_ticks,
    CASE WHEN counted THEN m.idle_quarters ELSE 0 END AS old_quarters
  WITH m, hours, energy, energy_now, ticks, old_ticks, old_quarters,
    CASE WHEN quarters > old_quarters THEN quarters ELSE old_quarters END AS quarters
  WITH m, energy, energy_now, ticks, quarters, old_ticks, old_quarters,
    hours > 0 AND energy - energy_now > $tolerance AS faded
  WHERE faded OR ticks > old_ticks OR quarters > old_quarters
  SET
    m.energy = CASE WHEN faded THEN energy_now ELSE energy END,
    m.energy_at = CASE WHEN faded THEN $now ELSE m.energy_at END
  WITH m, energy, energy_now, ticks, quarters, old_ticks, old_quarters
  CALL (m, ticks, quarters, old_ticks, old_quarters) {
    WITH m
    WHERE ticks > old_ticks OR quarters > old_quarters
    SET
      m.weight_beta = m.weight_beta
        + (ticks - old_ticks) * $weight.tick_days * $weight.tick
        + (quarters - old_quarters) * $weight.stale_contradict,
      m.idle_since = m.last_accessed_at,
      m.idle_ticks = ticks,
      m.idle_quarters = quarters
    RETURN count(*) AS weighed
  }
  RETURN
    count(m) AS changed,
    collect({id: m.id, energy: energy, energy_now: energy_now})[..5] AS examples
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, changed, examples
