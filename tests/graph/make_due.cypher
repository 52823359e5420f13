CYPHER 25
// Leave every memory of a space as the use leaves it that crosses a bar: every other one is due for shortTerm, the rest
// for longTerm in two steps.
// $space: string, whose
// $at: datetime, when they were used
// $rates: map, decay per hour by tier
// returns: due (integer)
MATCH (m:Memory)
WHERE m.space = $space
WITH m ORDER BY m.id
WITH collect(m) AS memories
UNWIND range(0, size(memories) - 1) AS place
WITH memories[place] AS m, place % 2 = 0 AS once
WITH m, once,
  CASE WHEN once THEN 2.5 ELSE 5.5 END AS energy,
  CASE WHEN once THEN 'shortTerm' ELSE 'longTerm' END AS tier
SET
  m.energy = energy,
  m.energy_at = $at,
  m.expires_at = $at + duration({microseconds: toInteger(log(energy / 0.1) / $rates[tier] * 3.6e9)}),
  m.due_tier = tier,
  m.promote_due_at = $at,
  m.promote_times = CASE WHEN once THEN [$at] ELSE [$at, $at] END,
  m.promote_energies = CASE WHEN once THEN [energy] ELSE [energy, energy] END
RETURN count(m) AS due
