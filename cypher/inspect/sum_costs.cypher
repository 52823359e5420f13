CYPHER 25
// What the calls of a space cost in all, in a day and since midnight, those that were rolled up included.
// The calls that one run made of late are left out: it knows them, before they are written.
// The IS NOT NULL predicates are always true; they let the composite indexes serve a space alone.
// $space: string, whose
// $run: string, the run
// $since: datetime, a day ago
// $midnight: datetime, when the UTC day began
// returns: one row: lifetime, last_day, today (floats, US dollars; calls without a price count nothing),
//   calls_today (integer)
CALL () {
  MATCH (c:LlmCall)
  WHERE c.space = $space AND c.at IS NOT NULL
  WITH c, c.run = $run AND c.at >= $since AS own
  WHERE NOT own
  RETURN
    sum(c.cost_usd) AS single,
    sum(CASE WHEN c.at >= $since THEN c.cost_usd END) AS last_day,
    sum(CASE WHEN c.at >= $midnight THEN c.cost_usd END) AS today,
    sum(CASE WHEN c.at >= $midnight THEN 1 ELSE 0 END) AS calls_today
}
CALL () {
  MATCH (r:RecordCounter)
  WHERE r.space = $space AND r.kind STARTS WITH 'LlmCall:' AND r.month IS NOT NULL
  RETURN sum(r.cost_usd) AS rolled
}
RETURN
  toFloat(single + rolled) AS lifetime,
  toFloat(last_day) AS last_day,
  toFloat(today) AS today,
  calls_today
