CYPHER 25
// Memories that were said again: each was seen once more, and gains energy in proportion to the similarity, so many
// times of one day, in UTC, and no more; as a new memory's reinforcement does, and out of the same share of the day.
// Where a person said it, it matters more too: by how much is returned, for write/move_weights in the same transaction.
// Truth stays: saying a thing twice does not make it so.
// Everything is locked in ascending id before it is read; what is not active any more is left as it is.
// $space: string, whose
// $rows: list of maps {id, similarity (cosine, the mean of the times), times (integer, how often it was said), told
//   (integer, how often of these by a person)}, one for each memory
// $boost: float, energy at similarity 1
// $cap: integer, how many of one day add energy to a memory
// $weight: float, what a person's saying it again says for a memory
// $energy: map {rates, bars, expiry}: decay per hour and bar of promotion by tier, the energy of what has expired
// $now: datetime, when
// returns: one row: confirmed (list of ids of the memories that were), steps (list of maps {id, alpha, beta}, of those
//   that matter more for it)
// Running it twice: it was said twice; the caller marks what was said as decided in the same transaction.
CALL () {
  UNWIND $rows AS row
  MATCH (m:Memory {id: row.id})
  WHERE m.space = $space
  WITH m, row ORDER BY m.id
  SET m._lock = true
  REMOVE m._lock
  RETURN collect({memory: m, row: row}) AS locked
}
UNWIND locked AS each
WITH each.memory AS m, each.row AS row
WHERE m.status = 'active'
WITH m, row,
  coalesce(m.due_tier, m.tier) AS tier,
  CASE WHEN m.energy_at < $now THEN $now ELSE m.energy_at END AS settled_at,
  CASE WHEN m.reinforced_on = date($now) THEN m.reinforced_today ELSE 0 END AS earlier
WITH m, row, tier, settled_at, earlier,
  CASE
    WHEN row.times <= $cap - earlier THEN row.times
    WHEN earlier < $cap THEN $cap - earlier
    ELSE 0
  END AS counts
WITH m, row, tier, settled_at, earlier, counts,
  m.energy * exp(-$energy.rates[tier] * (
    (settled_at.epochSeconds - m.energy_at.epochSeconds) / 3600.0
      + (settled_at.microsecond - m.energy_at.microsecond) / 3.6e9
  )) + counts * $boost * row.similarity AS energy
WITH m, row, tier, settled_at, earlier, counts, energy,
  CASE
    WHEN counts = 0 OR tier = 'longTerm' THEN tier
    WHEN energy > $energy.bars.shortTerm THEN 'longTerm'
    WHEN tier = 'working' AND energy > $energy.bars.working THEN 'shortTerm'
    ELSE tier
  END AS reached
WITH m, row, settled_at, earlier, counts, energy, reached,
  CASE
    WHEN reached = tier THEN 0
    WHEN tier = 'working' AND reached = 'longTerm' THEN 2
    ELSE 1
  END AS steps
SET
  m.seen_count = m.seen_count + row.times,
  m.last_seen_at = CASE WHEN m.last_seen_at > $now THEN m.last_seen_at ELSE $now END,
  m.energy = energy,
  m.energy_at = settled_at,
  m.expires_at = CASE
    WHEN energy > $energy.expiry
    THEN settled_at
      + duration({microseconds: toInteger(log(energy / $energy.expiry) / $energy.rates[reached] * 3.6e9)})
    ELSE m.expires_at
  END,
  m.reinforced_today = CASE WHEN m.reinforced_on > date($now) THEN m.reinforced_today ELSE earlier + counts END,
  m.reinforced_on = CASE WHEN m.reinforced_on > date($now) THEN m.reinforced_on ELSE date($now) END,
  m.reinforced_count = coalesce(m.reinforced_count, 0) + counts,
  m.last_reinforced_at = CASE WHEN m.last_reinforced_at > $now THEN m.last_reinforced_at ELSE $now END,
  m.due_tier = CASE WHEN steps > 0 THEN reached ELSE m.due_tier END,
  m.promote_due_at = CASE WHEN steps > 0 THEN coalesce(m.promote_due_at, settled_at) ELSE m.promote_due_at END,
  m.promote_times = CASE
    WHEN steps > 0 THEN coalesce(m.promote_times, []) + [settled_at, settled_at][..steps]
    ELSE m.promote_times
  END,
  m.promote_energies = CASE
    WHEN steps > 0 THEN coalesce(m.promote_energies, []) + [energy, energy][..steps]
    ELSE m.promote_energies
  END
WITH m, CASE WHEN row.told < counts THEN row.told ELSE counts END AS told
RETURN
  collect(m.id) AS confirmed,
  collect(CASE WHEN told > 0 AND NOT m.immutable THEN {id: m.id, alpha: told * $weight, beta: 0.0} END) AS steps
