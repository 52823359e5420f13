CYPHER 25
// What the gates' decisions came to, week by week, and the last advice on each number.
// $space: string, whose
// $weeks: integer, weeks at most, the newest
// returns: one row: weeks (list of maps {week, waits (integer, decisions that nothing is known of yet), counters (map)},
//   oldest first), advice (list of maps {key, week, direction})
OPTIONAL MATCH (c:ConsolidationConfig {space: $space})
CALL (c) {
  MATCH (c)-[:SHOWN_BY]->(o:GateOutcome)
  WITH o ORDER BY o.week DESC LIMIT $weeks
  WITH o ORDER BY o.week
  RETURN collect({week: o.week, waits: count { (o)-[:AWAITS]->() }, counters: properties(o)}) AS weeks
}
CALL (c) {
  MATCH (c)-[:ADVISED]->(g:GateAdvice)
  WITH g ORDER BY g.at, g.week
  WITH g.key AS key, collect(g) AS given
  WITH key, given[-1].week AS week, [g IN given WHERE g.moved AND g.undone_at IS NULL | g.direction] AS steps
  ORDER BY key
  RETURN collect({key: key, week: week, direction: coalesce(steps[-1], 0)}) AS advice
}
RETURN weeks, advice
