CYPHER 25
// What the job has written about a space's gates.
// $space: string, whose
// returns: weeks (list of maps, the properties of each), waiting (integer), advice (list of maps, oldest first)
OPTIONAL MATCH (c:ConsolidationConfig {space: $space})
CALL (c) {
  MATCH (c)-[:SHOWN_BY]->(o:GateOutcome)
  WITH o ORDER BY o.week
  RETURN collect(o {.*}) AS weeks, sum(count { (o)-[:AWAITS]->(:Turn) }) AS waiting
}
CALL (c) {
  MATCH (c)-[:ADVISED]->(g:GateAdvice)
  WITH g ORDER BY g.at, g.key
  RETURN collect(g {.*}) AS advice
}
RETURN weeks, waiting, advice
