CYPHER 25
// How often each ceiling has stopped something in a space, or would have, with the newest cases.
// $space: string, whose
// $since: datetime, no older ones
// $newest: integer, cases of each at most
// returns: ceiling, phase (integer), enforced (boolean), count (integer), newest (list of maps, as list_safety_events
//   has them)
MATCH (e:SafetyEvent)
WHERE e.space = $space AND e.at >= $since
WITH e ORDER BY e.at DESC, e.id
WITH e.ceiling AS ceiling, e.phase AS phase, e.enforced AS enforced, count(e) AS count, collect(e {.*}) AS events
RETURN ceiling, phase, enforced, count, events[..$newest] AS newest
ORDER BY phase, ceiling, enforced DESC
