CYPHER 25
// Move weights by evidence from outside, in full, unless a ceiling that is enforced stands against it: then the centre
// rises as far as that and no further. Evidence against that is taken back lifts a centre too: as much of it stays as
// the ceiling needs, and is taken back first. What lowers a centre is never cut, and immutable memories do not move.
// The memories are locked in ascending id before anything is read.
// $space: string, whose
// $rows: list of maps {id, alpha, beta}, one for each memory: what is to be added, below 0 where it is taken back
// $recall: string, the recall that a verdict is on: its record keeps what of the verdict is in the weights; else null
// $safety: map {phase, odds, rate}: as write/learn_from_recall takes it
// returns: one row: over (list of maps {ceiling, phase, alpha, id, before, after}: what a ceiling stands against, as
//   write/learn_from_recall returns it)
// Running it twice: it moves twice; the caller notes in the same transaction that the evidence is counted.
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
WHERE NOT m.immutable
OPTIONAL MATCH (r:Recall {id: $recall})-[returned:RETURNED]->(m)
WHERE r.space = $space
// By odds, alpha / beta: they rise and fall with the centre.
WITH m, returned, row,
  m.weight_alpha / m.weight_beta AS stands,
  (m.weight_alpha + row.alpha) / (m.weight_beta + row.beta) AS wanted,
  (1.0 + $safety.rate) * m.weight_alpha_seen / (m.weight_alpha_seen + m.weight_beta_seen) AS highest
WITH m, returned, row, stands, [
  // A bound that there is none of is null, and nothing is over it.
  each IN [
    {ceiling: 'weight_cap', phase: 1, odds: $safety.odds},
    {ceiling: 'rate_limit', phase: 2, odds: CASE WHEN highest < 1.0 THEN highest / (1.0 - highest) END},
    {ceiling: 'circuit_breaker', phase: 3, odds: CASE WHEN m.weight_paused THEN stands END}
  ]
  WHERE wanted > stands AND wanted > each.odds AND (each.phase = 1 OR each.phase <= $safety.phase) |
    each {
      .ceiling,
      .phase,
      .odds,
      id: m.id,
      alpha: each.odds * (m.weight_beta + row.beta),
      before: m.weight_alpha / (m.weight_alpha + m.weight_beta),
      after: wanted / (1.0 + wanted)
    }
] AS over
WITH m, returned, row, stands, over, reduce(
  least = null,
  each IN [one IN over WHERE one.phase <= $safety.phase] |
    CASE WHEN least < each.odds THEN least ELSE each.odds END
) AS least
// What stands above a ceiling already is not lowered.
WITH m, returned, row, over, CASE WHEN least < stands THEN stands ELSE least END AS most
WITH m, returned, row, over, most,
  CASE
    WHEN row.beta < 0.0 AND m.weight_alpha / most > m.weight_beta + row.beta THEN m.weight_alpha / most
    ELSE m.weight_beta + row.beta
  END AS beta
WITH m, returned, over, beta,
  CASE
    WHEN m.weight_alpha + row.alpha <= most * beta OR most IS NULL THEN m.weight_alpha + row.alpha
    WHEN m.weight_alpha < most * beta THEN most * beta
    ELSE m.weight_alpha
  END AS alpha
SET
  returned.weight_for = returned.weight_for + (alpha - m.weight_alpha),
  returned.weight_against = returned.weight_against + (beta - m.weight_beta)
SET
  m.weight_alpha = alpha,
  m.weight_beta = beta
RETURN reduce(all = [], each IN collect(over) | all + each) AS over
