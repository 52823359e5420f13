CYPHER 25
// What a space has come to remember since a time: how much, and what weighs most of it. A memory's last use is never before
// its beginning, so the index of uses finds what is new.
// $space: string, whose
// $since: datetime, from when
// $limit: integer, memories
// returns: one row: found (integer, all there are), memories (list of maps {id, kind, content, compressed, source,
//   source_tag, speaker, importance, event_at}, the most important first)
CALL () {
  MATCH (m:Memory)
  WHERE m.space = $space AND m.last_accessed_at > $since AND m.created_at > $since AND m.status = 'active'
    AND NOT m:Tension
  RETURN count(m) AS found
}
CALL () {
  MATCH (m:Memory)
  WHERE m.space = $space AND m.last_accessed_at > $since AND m.created_at > $since AND m.status = 'active'
    AND NOT m:Tension
  // Sorted with a limit: no more than so many are held, however many there are.
  WITH m ORDER BY m.importance DESC, m.event_at DESC, m.id LIMIT $limit
  RETURN collect(m {
    .id, .kind, .content, .compressed, .source, .source_tag, .speaker, .importance, .event_at
  }) AS memories
}
RETURN found, memories
