CYPHER 25
// What an idle mind has to know before it wanders: whether somebody talks, and what came to mind lately.
// What people say passes the scratch buffer, which holds a day of it; what they ask through other doors keeps a session
// open. Runs are told as they are: whether their process is alive is known where it runs.
// The IS NOT NULL predicates are always true; they let the composite indexes serve a space alone.
// $space: string, whose
// $since: datetime, what was said after it is a conversation that goes on
// $open_until: datetime, a session that stays open for longer was used after $since
// $own: string, how the names of sessions begin in which nobody talks
// $limit: integer, thoughts, the newest
// returns: one row: said_at (datetime or null, when a person spoke last, if that was after $since), open (boolean, whether
//   a session was used), runs (list of maps {host, pid, process_started_at, seen_at} of runs of the loop seen after
//   $since), thoughts (list of maps {id, at, text, channel, topic, state, surfaced (list of ids)}, the newest first)
CALL () {
  MATCH (e:ScratchEntry)
  WHERE e.space = $space AND e.state IS NOT NULL AND e.source_tag = 'external_user' AND e.at > $since
  RETURN max(e.at) AS said_at
}
CALL () {
  RETURN EXISTS {
    MATCH (s:Session)
    WHERE s.space = $space AND s.closes_at > $open_until AND NOT s.id STARTS WITH $own
  } AS open
}
CALL () {
  MATCH (r:LoopRun)
  WHERE r.space = $space AND r.started_at IS NOT NULL AND r.ended_at IS NULL AND r.seen_at > $since
    AND NOT r.session STARTS WITH $own
  RETURN collect(r {.host, .pid, .process_started_at, .seen_at}) AS runs
}
CALL () {
  MATCH (h:Thought)
  WHERE h.space = $space AND h.at IS NOT NULL
  WITH h ORDER BY h.space DESC, h.at DESC, h.id LIMIT $limit
  RETURN collect(h {
    .id, .at, .text, .channel, .topic, .state,
    surfaced: COLLECT { MATCH (h)-[:SURFACED]->(m:Memory) WHERE m.space = $space RETURN m.id }
  }) AS thoughts
}
RETURN said_at, open, runs, thoughts
