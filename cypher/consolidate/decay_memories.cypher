CYPHER 25
// Let one batch of memories fade: write what elapsed time has left of their energy, and what idle time says
// against their weight.
// Both are functions of elapsed time, so it does not matter how often this runs. Elapsed time comes from the
// epoch, in microseconds; duration components would truncate. Rows that hardly moved are left alone. expires_at
// stays: settling does not change when a memory expires. Idle days count from the last use and are written some
// at a time; what was counted since then is on the memory.
// Most rows of most runs are not due, and each property that is read costs as much as the index entry: what rules
// a row out comes first. Ordered by space and id, as the index is, a batch is read without sorting the rest.
// $space: string, whose
// $after: string, id after which the batch begins
// $until: string, the last id that it may hold
// $batch_size: integer, memories looked at
// $energy: map with rates (map, tier to decay per hour)
// $tolerance: float, the least change of energy that is worth a write
// $weight: map {least_days, tick (evidence a day), tick_days, stale_days, stale_accesses, stale_contradict, stale_every_days}
// $now: datetime, the time to settle at
// returns: last (string, id of the last memory looked at; null when there was none), changed (integer),
//   examples (list of maps {id, was, is}: energies, five at most)
// Running it twice: at one instant the second run changes nothing.
WITH $now - duration({days: $weight.least_days}) AS idle_from
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after AND m.id <= $until
WITH m, idle_from ORDER BY m.space, m.id LIMIT $batch_size
// CASE and not OR: the planner turns an OR of ANDs inside out, and would compute the exponential many times.
WITH m,
  CASE
    WHEN m.energy_at >= $now THEN false
    WHEN m.energy <= $tolerance THEN false
    // A promotion that is due slows it down, which is looked at under the lock.
    ELSE m.energy * (1.0 - exp(-$energy.rates[m.tier] * (
      ($now.epochSeconds - m.energy_at.epochSeconds) / 3600.0 + ($now.microsecond - m.energy_at.microsecond) / 3.6e9
    ))) > $tolerance
  END AS fades,
  CASE
    WHEN m.last_accessed_at > idle_from THEN false
    WHEN ($now.epochSeconds - m.last_accessed_at.epochSeconds) / 86400
      >= $weight.tick_days + CASE WHEN m.idle_since = m.last_accessed_at THEN m.idle_days ELSE 0 END
    THEN NOT m.immutable
    WHEN ($now.epochSeconds - m.last_accessed_at.epochSeconds) / 86400 < $weight.stale_days THEN false
    ELSE m.access_count < $weight.stale_accesses
      AND ($now.epochSeconds - m.last_accessed_at.epochSeconds) / 86400 >= $weight.stale_days
        + $weight.stale_every_days * CASE WHEN m.idle_since = m.last_accessed_at THEN m.idle_quarters ELSE 0 END
      AND NOT m.immutable
  END AS idles
WITH
  max(m.id) AS last,
  collect(CASE WHEN fades OR idles THEN m END) AS due,
  collect(CASE WHEN idles THEN {memory: m, fades: fades} END) AS idle
WITH last, due, idle, [
  m IN due[..5] | {
    id: m.id,
    was: m.energy,
    is: m.energy * exp(-$energy.rates[coalesce(m.due_tier, m.tier)] * (
      ($now.epochSeconds - m.energy_at.epochSeconds) / 3600.0 + ($now.microsecond - m.energy_at.microsecond) / 3.6e9
    ))
  }
] AS examples
CALL (due) {
  // Ids ascend, so concurrent writers queue. What is changed is read again once the locks are held.
  UNWIND due AS m
  SET m._lock = true
  REMOVE m._lock
  WITH collect(m) AS locked
  UNWIND locked AS m
  WITH m, m.energy AS energy, m.energy * exp(-$energy.rates[coalesce(m.due_tier, m.tier)] * (
    ($now.epochSeconds - m.energy_at.epochSeconds) / 3600.0 + ($now.microsecond - m.energy_at.microsecond) / 3.6e9
  )) AS energy_now
  WHERE energy - energy_now > $tolerance
  SET
    m.energy = energy_now,
    m.energy_at = $now
  RETURN count(m) AS faded
}
CALL (idle) {
  UNWIND idle AS each
  WITH each.memory AS m, each.fades AS fades
  WHERE NOT m.immutable
  WITH m, fades,
    ($now.epochSeconds - m.last_accessed_at.epochSeconds) / 86400 AS days,
    coalesce(m.idle_since = m.last_accessed_at, false) AS counted
  WITH m, fades, days,
    CASE WHEN counted THEN m.idle_days ELSE 0 END AS old_days,
    CASE WHEN counted THEN m.idle_quarters ELSE 0 END AS old_quarters
  WITH m, fades, old_days, old_quarters,
    days / $weight.tick_days * $weight.tick_days AS new_days,
    CASE
      WHEN days < $weight.stale_days OR m.access_count >= $weight.stale_accesses THEN 0
      ELSE 1 + (days - $weight.stale_days) / $weight.stale_every_days
    END AS quarters
  WITH m, fades, old_days, old_quarters,
    CASE WHEN new_days > old_days THEN new_days ELSE old_days END AS days,
    CASE WHEN quarters > old_quarters THEN quarters ELSE old_quarters END AS quarters
  WHERE days > old_days OR quarters > old_quarters
  SET
    m.weight_beta = m.weight_beta
      + (days - old_days) * $weight.tick
      + (quarters - old_quarters) * $weight.stale_contradict,
    m.idle_since = m.last_accessed_at,
    m.idle_days = days,
    m.idle_quarters = quarters
  RETURN count(CASE WHEN NOT fades THEN m END) AS weighed
}
RETURN last, faded + weighed AS changed, examples
