CYPHER 25
// End a session, and judge what was used in it by the lower bar of a session's end: a working memory above it is due
// for promotion at that instant.
// Energy is taken back or forth to that instant, so that it does not matter when this is noticed; what was used
// elsewhere after it has been judged by that use.
// $space: string, whose
// $session: string, the session's name
// $now: datetime, when somebody ended it, or noticed that it has ended by itself, which holds if it was earlier
// $explicit: boolean, whether somebody ended it; else only if it has ended by itself
// $energy: map {rates, session_bar, expiry}: decay per hour by tier, the bar, the energy of what has expired
// returns: one row: closed (integer, 0 or 1), due (integer, memories that are due now)
// Running it twice: the second run finds it closed and changes nothing.
CALL () {
  MATCH (s:Session {space: $space, id: $session})
  SET s._lock = true
  REMOVE s._lock
  WITH s, CASE WHEN s.closes_at < $now THEN s.closes_at ELSE $now END AS at
  WHERE s.closes_at <= $now OR ($explicit AND s.closes_at IS NOT NULL)
  SET
    s.closed_at = at,
    s.coactivate_due_at = at
  REMOVE s.closes_at
  RETURN collect({session: s, at: at}) AS closed
}
CALL (closed) {
  UNWIND closed AS each
  WITH each.session AS s, each.at AS at
  MATCH (s)<-[:ACCESSED_IN]-(m:Memory)
  WHERE m.tier = 'working' AND m.space = $space
  WITH m, at ORDER BY m.id
  SET m._lock = true
  REMOVE m._lock
  WITH collect({memory: m, at: at}) AS locked
  UNWIND locked AS each
  WITH each.memory AS m, each.at AS at
  WITH m, at, m.energy * exp(-$energy.rates.working * (
    (at.epochSeconds - m.energy_at.epochSeconds) / 3600.0 + (at.microsecond - m.energy_at.microsecond) / 3.6e9
  )) AS energy
  WHERE m.tier = 'working'
    AND m.promote_due_at IS NULL
    AND m.last_accessed_at <= at
    AND energy > $energy.session_bar
  SET
    m.energy = energy,
    m.energy_at = at,
    m.expires_at = at + duration({
      microseconds: toInteger(log(energy / $energy.expiry) / $energy.rates.shortTerm * 3.6e9)
    }),
    m.due_tier = 'shortTerm',
    m.promote_due_at = at,
    m.promote_times = [at],
    m.promote_energies = [energy]
  RETURN count(m) AS due
}
RETURN size(closed) AS closed, due
