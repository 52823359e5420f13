CYPHER 25
// Where the working memory of a space stands: the version that is in force, the number of the last one, the notes since,
// and how high the signals are.
// $space: string, whose
// returns: one row: force (map or null: {id, version, at, text, mood, seeded}), cites (list of maps {memory, key, line,
//   status, away, content, importance, event_at}, what the version in force rests on, ascending by line and memory; away:
//   it was put away by a job, and is believed still), last (integer, 0 where there is no version), last_at (datetime or null), notes (list of maps {id, content, importance,
//   event_at}, the oldest first), refused (map or null: {version, at, text, reason, basis}, the last version, where that
//   was refused), manifest (map or null: {achievement, friction, bonding, signals_at, counted_at,
//   last_seen_at})
CALL () {
  MATCH (w:WorkingMemory)
  WHERE w.space = $space AND w.version IS NOT NULL AND w.state = 'taken'
  WITH w ORDER BY w.space DESC, w.version DESC LIMIT 1
  RETURN collect(w)[0] AS w
}
CALL () {
  MATCH (w:WorkingMemory)
  WHERE w.space = $space AND w.version IS NOT NULL
  WITH w ORDER BY w.space DESC, w.version DESC LIMIT 1
  RETURN collect(w)[0] AS last
}
CALL (w) {
  MATCH (w)-[c:CITES]->(m:Memory)
  WHERE m.space = $space
  WITH c, m ORDER BY c.line, m.id
  RETURN collect({
    memory: m.id, key: c.key, line: c.line, status: m.status, content: m.content, importance: m.importance,
    event_at: m.event_at,
    away: m.status = 'dormant' OR (m.status = 'archived' AND m.archive_reason IS NOT NULL)
  }) AS cites
}
OPTIONAL MATCH (a:AgentManifest {space: $space})
CALL (a) {
  UNWIND coalesce(a.working_notes, []) AS id
  MATCH (m:Memory {id: id})
  WHERE m.space = $space AND m.status = 'active'
  WITH m ORDER BY m.event_at, m.id
  RETURN collect(m {.id, .content, .importance, .event_at}) AS notes
}
RETURN
  w {.id, .version, .at, .text, .mood, .seeded} AS force,
  cites,
  coalesce(last.version, 0) AS last,
  last.at AS last_at,
  notes,
  CASE WHEN last.state = 'refused' THEN last {.version, .at, .text, .reason, .basis} END AS refused,
  a {.achievement, .friction, .bonding, .signals_at, .counted_at, .last_seen_at} AS manifest
