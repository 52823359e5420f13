CYPHER 25
// Replay the links between recent episodes: a link gains strength at set times after its later end was stored,
// each time half as much as the time before. What is due since the last run is made up for at once, by the sum of
// the geometric series: step/2^(done-1) - step/2^(due-1).
// $space: string, whose
// $after: string, id after which the batch begins
// $until: string, the last id that it may hold
// $batch_size: integer, memories looked at; each follows one other
// $hours: integer, hours between two replays
// $times: integer, how often a link is replayed
// $step: float, what the first replay adds
// $now: datetime, due by then
// returns: last (string, id of the last memory looked at; null when there was none), changed (integer, links),
//   examples (list of maps {id, follows, replays, strength}, five at most)
// Running it twice: at one instant the second run changes nothing.
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after AND m.id <= $until
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
WITH batch, 1000000 * $now.epochSeconds + $now.microsecond AS micros, 3600000000 * $hours AS interval
CALL (batch, micros, interval) {
  UNWIND batch AS later
  MATCH (later)-[f:FOLLOWS]->(earlier:Memory)
  WHERE earlier.space = $space AND coalesce(f.replays, 0) < $times
  WITH later, earlier, f, (
    micros - 1000000 * later.created_at.epochSeconds - later.created_at.microsecond
  ) / interval AS passed
  WHERE passed > coalesce(f.replays, 0)
  WITH later, earlier, CASE WHEN passed < $times THEN passed ELSE $times END AS due
  RETURN collect({later: later, earlier: earlier, due: due}) AS links
}
CALL (links) {
  UNWIND links AS link
  UNWIND [link.later, link.earlier] AS m
  WITH DISTINCT m ORDER BY m.id
  SET m._lock = true
  REMOVE m._lock
  RETURN count(*) AS locked
}
CALL (links, interval) {
  UNWIND links AS link
  WITH link.later AS later, link.earlier AS earlier, link.due AS due
  MATCH (later)-[f:FOLLOWS]->(earlier)
  WITH later, earlier, f, due, coalesce(f.replays, 0) AS done
  WHERE due > done
  SET
    f.strength = coalesce(f.strength, 1.0) + 2.0 * $step * (0.5 ^ done - 0.5 ^ due),
    f.replays = due,
    f.replayed_at = later.created_at + duration({microseconds: due * interval})
  RETURN
    count(f) AS changed,
    collect({id: later.id, follows: earlier.id, replays: due, strength: f.strength})[..5] AS examples
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, changed, examples
