CYPHER 25
// What the loop has written in a space, without vectors.
// $space: string, whose
// returns: one row: lines, turns, sessions, memories, calls, runs, counters (lists of maps: properties), links (list of
//   strings: the types of the relationships from the lines and turns)
CALL () {
  OPTIONAL MATCH (e:ScratchEntry {space: $space})
  WHERE e.state IS NOT NULL
  WITH e ORDER BY e.at, e.id
  RETURN collect(e {.*}) AS lines
}
CALL () {
  OPTIONAL MATCH (t:Turn {space: $space})
  WHERE t.id IS NOT NULL
  WITH t ORDER BY t.at, t.id
  RETURN collect(t {.*}) AS turns
}
CALL () {
  OPTIONAL MATCH (n:ScratchEntry|Turn)-[r]->()
  WHERE n.space = $space
  WITH type(r) AS type ORDER BY type
  RETURN collect(type) AS links
}
CALL () {
  OPTIONAL MATCH (s:Session {space: $space})
  WHERE s.id IS NOT NULL
  RETURN collect(s {.*}) AS sessions
}
CALL () {
  OPTIONAL MATCH (m:Memory {space: $space})
  WHERE m.id IS NOT NULL
  WITH m ORDER BY m.content
  RETURN collect(m {.*, embedding: null, embedding_b: null}) AS memories
}
CALL () {
  OPTIONAL MATCH (c:LlmCall)
  WHERE c.space = $space
  WITH c ORDER BY c.at, c.id
  RETURN collect(c {.*}) AS calls
}
CALL () {
  OPTIONAL MATCH (r:LoopRun {space: $space})
  WITH r ORDER BY r.started_at, r.id
  RETURN collect(r {.*}) AS runs
}
CALL () {
  OPTIONAL MATCH (c:RecordCounter {space: $space})
  RETURN collect(c {.*}) AS counters
}
RETURN lines, turns, links, sessions, memories, calls, runs, counters
