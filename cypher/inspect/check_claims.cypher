CYPHER 25
// Claims that must not be: two live ones of one memory, and attempts whose lease is over and that nobody has ended.
// $space: string, whose
// returns: one row: last (null: there is one batch), found (list of maps {check, broken, examples (ids, five at most)})
WITH datetime.realtime() AS at
CALL (at) {
  MATCH (a:ConsolidationAttempt)
  WHERE a.space = $space AND a.lease_until > at
  MATCH (a)<-[:CONSOLIDATING]-(m:Memory)
  WITH m, count(*) AS claims
  WHERE claims > 1
  RETURN collect(m.id) AS doubled
}
CALL (at) {
  MATCH (a:ConsolidationAttempt)
  WHERE a.space = $space AND a.lease_until <= at AND a.ended_at IS NULL
  RETURN collect(a.id) AS lapsed
}
RETURN null AS last, [
  {check: 'double claim', broken: size(doubled), examples: doubled[..5]},
  {check: 'lapsed lease', broken: size(lapsed), examples: lapsed[..5]}
] AS found
