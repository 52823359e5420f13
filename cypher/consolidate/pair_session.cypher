CYPHER 25
// Strengthen the association of what was used in one session: its most used memories in pairs, each pair once.
// A session that went on after its end pairs only what is new in it. It counts as of its end, however late this
// runs: where an edge's weight is of a later time, what the session adds is measured against what the weight was at
// the session's end, and has faded since then.
// The session is locked before it is asked whether it is still due, then the memories in ascending id. Time is in
// whole seconds of the epoch, as in learn_from_recall: those add up over any partition.
// $space: string, whose
// $session: string, the session's name
// $memories: integer, how many are paired at most
// $edge: map {half, decay}: the weight of an edge at which a pair adds half, and its decay per day
// $confidence: map {grace_days, doubt, floor, step}: how an edge loses and gains confidence, as in learn_from_recall
// $now: datetime, ended by then
// returns: one row: counted (integer, 0 if another run was faster), changed (integer, edges strengthened),
//   examples (list of maps {from, to, weight}, five at most)
// Running it twice: the second run finds it paired and changes nothing.
CALL () {
  MATCH (s:Session {space: $space, id: $session})
  SET s._lock = true
  REMOVE s._lock
  WITH s, CASE WHEN s.closes_at <= $now THEN s.closes_at ELSE s.coactivate_due_at END AS at
  WHERE at <= $now
  RETURN collect({session: s, at: at}) AS due
}
CALL (due) {
  UNWIND due AS each
  WITH each.session AS s, each.at AS at
  MATCH (m:Memory)-[a:ACCESSED_IN]->(s)
  WHERE m.space = $space AND a.first_at <= at
  WITH m, a ORDER BY a.count DESC, a.at DESC, m.id LIMIT $memories
  WITH m, a ORDER BY m.id
  SET m._lock = true
  REMOVE m._lock
  RETURN collect({memory: m, access: a, new: a.paired IS NULL}) AS used
}
CALL (due, used) {
  UNWIND due AS each
  UNWIND range(0, size(used) - 2) AS place
  UNWIND used[place + 1..] AS higher
  WITH each.at AS at, used[place] AS lower, higher
  WHERE lower.new OR higher.new
  WITH at, lower.memory AS low, higher.memory AS high
  MERGE (low)-[c:CO_ACCESSED]->(high)
    ON CREATE SET c.weight = 0.0, c.count = 0, c.first_at = at
  WITH at, low, high, c, $edge.decay / 86400.0
    * coalesce(at.epochSeconds - coalesce(c.weight_at, c.last_at).epochSeconds, 0) AS fading,
    coalesce((at.epochSeconds - c.last_at.epochSeconds) / 86400.0, 0.0) - $confidence.grace_days AS idle
  WITH at, low, high, c, fading,
    coalesce(c.confidence, 1.0) - CASE WHEN idle > 0.0 THEN $confidence.doubt * idle ELSE 0.0 END AS faded
  WITH at, low, high, c, fading,
    $confidence.step + CASE WHEN faded > $confidence.floor THEN faded ELSE $confidence.floor END AS surer
  WITH at, low, high, c, surer,
    c.weight * exp(CASE WHEN fading > 0.0 THEN -fading ELSE 0.0 END) AS weight,
    exp(CASE WHEN fading < 0.0 THEN fading ELSE 0.0 END) AS since
  SET
    c.confidence = CASE WHEN surer < 1.0 THEN surer END,
    c.count = c.count + 1,
    // since * half / (half + weight / since), where weight / since is what it was
    c.weight = weight + since * since * $edge.half / (since * $edge.half + weight),
    c.weight_at = CASE WHEN c.weight_at > at THEN c.weight_at ELSE at END,
    c.last_at = CASE WHEN c.last_at > at THEN c.last_at ELSE at END
  RETURN count(c) AS changed, collect({from: low.id, to: high.id, weight: c.weight})[..5] AS examples
}
FOREACH (each IN used | SET (each.access).paired = true)
FOREACH (each IN due | REMOVE (each.session).coactivate_due_at)
RETURN size(due) AS counted, changed, examples
