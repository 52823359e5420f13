CYPHER 25
// What a recorded recall was asked and what it returned, with every term of the scores.
// $space: string, whose
// $prefix: string, its id or the beginning of one
// returns: recall (map), returned (list of maps {id, content, speaker, event_at, status, rank, score, useful,
//   terms (map)}, best first)
MATCH (r:Recall)
WHERE r.id STARTS WITH $prefix AND r.space = $space
WITH r ORDER BY r.id LIMIT 2
CALL (r) {
  MATCH (r)-[x:RETURNED]->(m:Memory)
  WITH x, m ORDER BY x.rank
  RETURN collect({
    id: m.id,
    content: m.content,
    speaker: m.speaker,
    event_at: m.event_at,
    status: m.status,
    rank: x.rank,
    score: x.score,
    useful: x.useful,
    terms: x {
      .*,
      rank: null,
      score: null,
      lift: null,
      useful: null,
      judged_at: null,
      weight_for: null,
      weight_against: null,
      weight_before: null,
      weight_after: null
    }
  }) AS returned
}
RETURN r {.*} AS recall, returned
