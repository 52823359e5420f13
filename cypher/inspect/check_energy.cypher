CYPHER 25
// The energies of each tier, as they are now.
// $space: string, whose
// $tiers: list of strings, in order
// $rates: map, tier to decay per hour
// $now: datetime
// returns: tier, count, avg, max, min, in the order of the tiers; those that hold something
MATCH (m:Memory)
WHERE m.space = $space AND m.tier IN $tiers AND m.status IS NOT NULL
WITH m.tier AS tier, m.energy * exp(-$rates[coalesce(m.due_tier, m.tier)] * CASE
  WHEN m.energy_at < $now
  THEN ($now.epochSeconds - m.energy_at.epochSeconds) / 3600.0
    + ($now.microsecond - m.energy_at.microsecond) / 3.6e9
  ELSE 0.0
END) AS energy
WITH tier, count(*) AS count, avg(energy) AS avg, max(energy) AS max, min(energy) AS min
RETURN tier, count, avg, max, min
ORDER BY head([place IN range(0, size($tiers) - 1) WHERE $tiers[place] = tier])
