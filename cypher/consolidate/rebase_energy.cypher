CYPHER 25
// Settle one batch of energies at the rates that held until now, and say when they expire at those that hold next:
// a changed rate must not reach back.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// $old: map {rates}: decay per hour by tier until now
// $new: map {rates, expiry}: decay per hour by tier from now on, and the energy of what has expired
// $now: datetime, when
// returns: last (string, id of the last memory looked at; null when there was none)
// Running it twice: at one instant the second run writes the same.
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
SET m._lock = true
REMOVE m._lock
WITH collect(m) AS locked
CALL (locked) {
  UNWIND locked AS m
  WITH m, coalesce(m.due_tier, m.tier) AS tier,
    CASE WHEN m.energy_at < $now THEN $now ELSE m.energy_at END AS at
  WITH m, tier, at,
    m.energy * exp(-$old.rates[tier] * (
      (at.epochSeconds - m.energy_at.epochSeconds) / 3600.0 + (at.microsecond - m.energy_at.microsecond) / 3.6e9
    )) AS energy
  SET
    m.energy = energy,
    m.energy_at = at,
    m.expires_at = CASE
      WHEN energy > $new.expiry
      THEN at + duration({microseconds: toInteger(log(energy / $new.expiry) / $new.rates[tier] * 3.6e9)})
      WHEN m.expires_at > at THEN at
      ELSE m.expires_at
    END
}
RETURN CASE WHEN size(locked) > 0 THEN locked[-1].id END AS last
