CYPHER 25
// Count what settling would change now, and show a few of them.
// $space: string, whose, or null for every space
// $rates: map, tier to decay per hour
// $tolerance: float, the least change of energy that is worth a write
// $now: datetime, the time to settle at
// returns: changed (integer), examples (list of maps {id, energy, energy_now}, five at most)
MATCH (m:Memory)
WHERE ($space IS NULL OR m.space = $space) AND m.energy_at < $now
WITH m, m.energy * exp(
  -$rates[m.tier] * (
    ($now.epochSeconds - m.energy_at.epochSeconds) / 3600.0
    + ($now.microsecond - m.energy_at.microsecond) / 3.6e9
  )
) AS energy_now
WHERE m.energy - energy_now > $tolerance
WITH m, energy_now ORDER BY m.id
RETURN
  count(m) AS changed,
  collect({id: m.id, energy: m.energy, energy_now: energy_now})[0..5] AS examples
