CYPHER 25
// What the graph records since a time that raises a signal: goals done and goals that got stuck, verdicts on what was
// recalled, and strong connections.
// $space: string, whose
// $since: datetime, from when
// $limit: integer, most of each
// returns: event (string, as engram.mind.state.signals.EVENTS names it), times (integer)
CALL () {
  MATCH (g:Goal)
  WHERE g.space = $space AND g.state = 'done' AND g.changed_at > $since
  RETURN 'goal_done' AS event, count(g) AS times
  UNION ALL
  MATCH (g:Goal)
  WHERE g.space = $space AND g.state = 'incubating' AND g.incubating_since > $since
  RETURN 'goal_stuck' AS event, count(g) AS times
  UNION ALL
  MATCH (r:Recall)
  WHERE r.space = $space AND r.at > $since - duration({days: 1})
  MATCH (r)-[hit:RETURNED]->()
  WHERE hit.judged_at > $since
  WITH r, any(useful IN collect(hit.useful) WHERE useful) AS useful
  RETURN CASE WHEN useful THEN 'verdict_useful' ELSE 'verdict_useless' END AS event, count(*) AS times
  UNION ALL
  MATCH (k:Connection)
  WHERE k.space = $space AND k.first_at > $since AND k.strength >= 0.8
  RETURN 'connection_strong' AS event, count(k) AS times
}
WITH event, CASE WHEN times > $limit THEN $limit ELSE times END AS times
WHERE times > 0
RETURN event, times ORDER BY event
