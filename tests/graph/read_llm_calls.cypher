CYPHER 25
// The calls of a space as they are kept, and the counters of those that were rolled up.
// $space: string, whose
// returns: one row: calls (list of maps, in the order of time), counters (list of maps)
CALL () {
  MATCH (c:LlmCall)
  WHERE c.space = $space
  WITH c ORDER BY c.at, c.id
  RETURN collect(c {.*}) AS calls
}
CALL () {
  MATCH (r:RecordCounter)
  WHERE r.space = $space AND r.kind STARTS WITH 'LlmCall:'
  WITH r ORDER BY r.kind, r.month
  RETURN collect(r {.*}) AS counters
}
RETURN calls, counters
