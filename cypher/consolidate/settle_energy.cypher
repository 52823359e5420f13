CYPHER 25
// Settle one batch of energies: write what elapsed time has left of each, and the time it is true at.
// Energy is a function of elapsed time, so it does not matter how often this runs. Elapsed time comes
// from the epoch, in microseconds; duration components would truncate. Rows that hardly moved are left alone,
// and expires_at stays, since settling does not change when a memory expires.
// $space: string, whose, or null for every space
// $after: string, id after which the batch begins; '' for the first
// $batch_size: integer, memories looked at
// $rates: map, tier to decay per hour
// $tolerance: float, the least change of energy that is worth a write
// $now: datetime, the time to settle at
// returns: last (string, id of the last memory looked at; null when there was none), changed (integer)
// Running it twice: at one instant the second run changes nothing.
MATCH (m:Memory)
WHERE m.id > $after AND ($space IS NULL OR m.space = $space)
WITH m ORDER BY m.id LIMIT $batch_size
WITH collect(m) AS batch
WITH batch, [
  m IN batch WHERE m.energy_at < $now AND m.energy - m.energy * exp(
    -$rates[m.tier] * (
      ($now.epochSeconds - m.energy_at.epochSeconds) / 3600.0
      + ($now.microsecond - m.energy_at.microsecond) / 3.6e9
    )
  ) > $tolerance
] AS due
CALL (due) {
  // Ids ascend, so concurrent writers queue. The energy is read again once the lock is held.
  UNWIND due AS m
  SET m._lock = true
  REMOVE m._lock
  WITH collect(m) AS locked
  UNWIND locked AS m
  WITH m,
    ($now.epochSeconds - m.energy_at.epochSeconds) / 3600.0
      + ($now.microsecond - m.energy_at.microsecond) / 3.6e9 AS hours
  WHERE hours > 0
  SET
    m.energy = m.energy * exp(-$rates[m.tier] * hours),
    m.energy_at = $now
  RETURN count(m) AS changed
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, changed
