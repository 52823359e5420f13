CYPHER 25
// Let one batch of memories fade: write what elapsed time has left of their energy, and what idle time says
// against their weight.
// Both are functions of elapsed time, so it does not matter how often this runs. Elapsed time comes from the
// epoch, in microseconds; duration components would truncate. What hardly moved is left alone. expires_at stays:
// settling does not change when a memory expires. Idle days count from the last use and are written some at a
// time; what was counted since then is on the memory.
// decay_due_at is when there may be something to write, the next time that this notes or the last gain of energy;
// so an index tells what is due, and a memory that has gone cold costs nothing.
// $space: string, whose
// $after: datetime, due then or later
// $skip: string, of those due at $after the ids up to this are left out (a dry run has seen them)
// $batch_size: integer, memories looked at
// $energy: map with rates (map, tier to decay per hour)
// $tolerance: float, the least change of energy that is worth a write
// $weight: map {tick (evidence a day), tick_days, stale_days, stale_accesses, stale_contradict, stale_every_days}
// $now: datetime, the time to settle at
// returns: one row: looked (integer, memories looked at), last (datetime, the latest due of them, or null), last_id
//   (string, the last of those that were due then), changed (integer), examples (list of maps {id, was, is}: energies)
// Running it twice: at one instant the second run changes nothing.
MATCH (m:Memory)
USING INDEX m:Memory(space, decay_due_at, id)
WHERE m.space = $space
  AND m.decay_due_at >= $after
  AND m.decay_due_at <= $now
  AND NOT (m.decay_due_at = $after AND m.id <= $skip)
WITH m, m.decay_due_at AS due ORDER BY m.space, m.decay_due_at, m.id LIMIT $batch_size
WITH collect(m) AS batch, max(due) AS last
CALL (batch) {
  UNWIND batch AS m
  WITH m ORDER BY m.id
  SET m._lock = true
  REMOVE m._lock
  WITH collect(m) AS locked
  UNWIND locked AS m
  // Others may have been faster.
  WITH m, m.energy AS energy, m.energy_at AS at, $energy.rates[coalesce(m.due_tier, m.tier)] AS rate
  WHERE m.decay_due_at <= $now
  WITH m, energy, at, rate,
    energy * exp(-rate * (
      ($now.epochSeconds - at.epochSeconds) / 3600.0 + ($now.microsecond - at.microsecond) / 3.6e9
    )) AS energy_now,
    ($now.epochSeconds - m.last_accessed_at.epochSeconds) / 86400 AS days,
    coalesce(m.idle_since = m.last_accessed_at, false) AS counted
  WITH m, energy, at, rate, energy_now,
    energy - energy_now > $tolerance AS fades,
    CASE WHEN counted THEN m.idle_days ELSE 0 END AS old_days,
    CASE WHEN counted THEN m.idle_quarters ELSE 0 END AS old_quarters,
    CASE WHEN m.immutable THEN 0 ELSE days / $weight.tick_days * $weight.tick_days END AS new_days,
    CASE
      WHEN m.immutable OR days < $weight.stale_days OR m.access_count >= $weight.stale_accesses THEN 0
      ELSE 1 + (days - $weight.stale_days) / $weight.stale_every_days
    END AS new_quarters
  WITH m, rate, energy AS was, fades, old_days, old_quarters,
    CASE WHEN fades THEN energy_now ELSE energy END AS energy,
    CASE WHEN fades THEN $now ELSE at END AS at,
    CASE WHEN new_days > old_days THEN new_days ELSE old_days END AS days,
    CASE WHEN new_quarters > old_quarters THEN new_quarters ELSE old_quarters END AS quarters
  WITH m, was, fades, energy, at, days, quarters, old_days, old_quarters,
    days > old_days OR quarters > old_quarters AS idles,
    // A second late rather than early: what is due has moved.
    CASE
      WHEN energy > $tolerance
      THEN at + duration({seconds: 1 + toInteger(3600.0 * log(energy / (energy - $tolerance)) / rate)})
    END AS fades_next,
    CASE
      WHEN m.immutable THEN null
      WHEN m.access_count < $weight.stale_accesses
        AND $weight.stale_days + quarters * $weight.stale_every_days < days + $weight.tick_days
      THEN m.last_accessed_at + duration({days: $weight.stale_days + quarters * $weight.stale_every_days})
      ELSE m.last_accessed_at + duration({days: days + $weight.tick_days})
    END AS idles_next
  SET
    m.energy = energy,
    m.energy_at = at,
    m.weight_beta = CASE
      WHEN idles
      THEN m.weight_beta
        + (days - old_days) * $weight.tick
        + (quarters - old_quarters) * $weight.stale_contradict
      ELSE m.weight_beta
    END,
    m.idle_since = CASE WHEN idles THEN m.last_accessed_at ELSE m.idle_since END,
    m.idle_days = CASE WHEN idles THEN days ELSE m.idle_days END,
    m.idle_quarters = CASE WHEN idles THEN quarters ELSE m.idle_quarters END,
    m.decay_due_at = CASE WHEN idles_next <= fades_next OR fades_next IS NULL THEN idles_next ELSE fades_next END
  RETURN
    count(CASE WHEN fades OR idles THEN 1 END) AS changed,
    collect(CASE WHEN fades OR idles THEN {id: m.id, was: was, is: energy} END)[..5] AS examples
}
RETURN size(batch) AS looked, last, batch[-1].id AS last_id, changed, examples
