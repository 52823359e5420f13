CYPHER 25
// What a space has come to remember since a time: what weighs most of it. A memory's last use is never before its
// beginning, so the index of uses finds what is new.
// $space: string, whose
// $since: datetime, from when
// $limit: integer, memories
// returns: one row: found (integer, all there are), memories (list of maps {id, kind, content, compressed, source,
//   source_tag, speaker, importance, truth (0 to 1), event_at}, the most important first)
MATCH (m:Memory)
WHERE m.space = $space AND m.last_accessed_at > $since AND m.created_at > $since AND m.status = 'active'
  AND NOT m:Tension
WITH m ORDER BY m.importance DESC, m.event_at DESC, m.id
WITH collect(m) AS found
RETURN
  size(found) AS found,
  [m IN found[0..$limit] | m {
    .id, .kind, .content, .compressed, .source, .source_tag, .speaker, .importance, .event_at,
    truth: m.truth_alpha / (m.truth_alpha + m.truth_beta)
  }] AS memories
