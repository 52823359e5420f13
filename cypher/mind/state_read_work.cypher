CYPHER 25
// What an agent has done, by its own records: goals, conversations, jobs, what it keeps coming back to, and what is open.
// $space: string, whose
// $since: datetime, from when what is done counts as recent
// $limit: integer, most of each
// $own: string, how the names of sessions begin in which nobody talks
// returns: one row: goals (list of maps {text, state, priority, blocked_by, changed_at}, what is not over, the most
//   pressing first), done (list of such maps, since then), counts (map {done, dropped, sessions, runs, unremembered},
//   the last of what was not answered and no memory holds), sessions (list of maps {id, ended_at, turns}, the last
//   ones, the newest first), traces (list of maps {topics, boxes, last_at}), procedures, corrections, insights (lists
//   of maps {id, content, importance, event_at, seen}), tensions (list of maps {low, high, one, other, at}), unanswered
//   (list of maps {id, content}, the memories of what was not answered)
CALL () {
  MATCH (g:Goal)
  WHERE g.space = $space AND g.state IN ['active', 'incubating', 'blocked']
  WITH g ORDER BY coalesce(g.priority, 0.0) DESC, g.created_at DESC, g.id LIMIT $limit
  RETURN collect(g {.text, .state, .priority, .blocked_by, .changed_at}) AS goals
}
CALL () {
  MATCH (g:Goal)
  WHERE g.space = $space AND g.state = 'done' AND g.changed_at > $since
  WITH g ORDER BY g.changed_at DESC, g.id LIMIT $limit
  RETURN collect(g {.text, .state, .changed_at}) AS done
}
CALL () {
  MATCH (s:Session)
  WHERE s.space = $space AND s.id IS NOT NULL AND s.ended_at IS NOT NULL AND NOT s.id STARTS WITH $own
  WITH s ORDER BY s.ended_at DESC, s.id LIMIT 3
  RETURN collect(s {.id, .ended_at, turns: COUNT { (s)<-[:PART_OF]-(:Turn) }}) AS sessions
}
CALL () {
  MATCH (t:Trace)
  WHERE t.space = $space AND t.boxes > 1
  WITH t ORDER BY t.boxes DESC, t.last_at DESC, t.id LIMIT $limit
  RETURN collect(t {.topics, .boxes, .last_at}) AS traces
}
CALL () {
  MATCH (m:Procedural)
  WHERE m.space = $space AND m.status = 'active'
  WITH m ORDER BY m.seen_count DESC, m.importance DESC, m.id LIMIT $limit
  RETURN collect(m {.id, .content, .importance, .event_at, seen: m.seen_count}) AS procedures
}
CALL () {
  MATCH (m:Correction)
  WHERE m.space = $space AND m.status = 'active' AND m.created_at > $since
  WITH m ORDER BY m.created_at DESC, m.id LIMIT $limit
  RETURN collect(m {.id, .content, .importance, .event_at, seen: m.seen_count}) AS corrections
}
CALL () {
  MATCH (m:Reflection)
  WHERE m.space = $space AND m.status = 'active' AND m.created_at > $since
  WITH m ORDER BY m.created_at DESC, m.id LIMIT $limit
  RETURN collect(m {.id, .content, .importance, .event_at, seen: m.seen_count}) AS insights
}
CALL () {
  MATCH (low:Memory)-[t:IN_TENSION_WITH {space: $space}]->(high:Memory)
  WHERE t.state IN ['open', 'acknowledged'] AND low.space = $space AND high.space = $space
  WITH low, t, high ORDER BY t.at DESC, low.id, high.id LIMIT $limit
  RETURN collect({low: low.id, high: high.id, one: low.content, other: high.content, at: t.at}) AS tensions
}
CALL () {
  MATCH (e:ScratchEntry {space: $space, awaits: true})
  WITH e ORDER BY e.at DESC, e.id LIMIT $limit
  // As that memory tells it, so that what is erased is told no more.
  MATCH (e)-[:HEARD_AS]->(t:Turn)<-[:DERIVED_FROM]-(m:Memory:Episodic)
  WHERE t.space = $space AND m.space = $space AND m.content = t.text AND m.status = 'active'
  WITH DISTINCT m ORDER BY m.event_at DESC, m.id
  RETURN collect(m {.id, .content}) AS unanswered
}
RETURN
  goals, done, sessions, traces, procedures, corrections, insights, tensions, unanswered,
  {
    done: COUNT { MATCH (g:Goal) WHERE g.space = $space AND g.state = 'done' },
    unremembered: COUNT {
      MATCH (e:ScratchEntry {space: $space, awaits: true})
      WHERE NOT EXISTS {
        MATCH (e)-[:HEARD_AS]->(t:Turn)<-[:DERIVED_FROM]-(m:Memory:Episodic)
        WHERE t.space = $space AND m.space = $space AND m.content = t.text AND m.status = 'active'
      }
    },
    dropped: COUNT { MATCH (g:Goal) WHERE g.space = $space AND g.state = 'dropped' AND (g.found_in IS NULL OR g.agreed_at IS NOT NULL) },
    sessions: COUNT { MATCH (s:Session) WHERE s.space = $space AND s.id IS NOT NULL AND NOT s.id STARTS WITH $own },
    runs: COUNT { MATCH (r:JobRun) WHERE r.started_at > $since AND coalesce(r.space, $space) = $space }
  } AS counts
