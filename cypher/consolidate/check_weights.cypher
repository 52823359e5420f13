CYPHER 25
// See how the weights of one batch of memories have moved since the last cycle, note where they stand now, and sum up
// what the whole space is measured by. What was used again though nothing new is said for it, by a source, a verdict or
// a memory like it, is one cycle further in its streak; anything else ends the streak.
// What has not moved is not written.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// $since: datetime, when the last cycle was; null in the first
// $cycles: integer, length of a streak at which reinforcement pauses
// $pause: boolean, whether it does; else what is paused goes on
// $top: integer, how many of the weightiest to return
// returns: one row: last (string, id of the last memory looked at; null when there was none), changed (integer),
//   moved (list of maps {id, before, after, immutable, streak_before, streak}; before is null for what is new),
//   count, total, product, coherent (of the memories that a recall looks at: how many, the sums of the weights' centres
//   c and of c ln c, how many are neither in open tension nor disputed), top (list of maps {id, weight})
// Running it twice: with nothing used in between, the second run ends the streaks; the job does not run it so soon.
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
CALL (batch) {
  UNWIND batch AS m
  WITH m, m.truth_alpha + m.truth_beta + m.seen_count + coalesce(m.reinforced_count, 0) AS evidence
  WITH m,
    [m.weight_alpha, m.weight_beta, m.access_count, evidence]
      = [m.weight_alpha_seen, m.weight_beta_seen, m.uses_seen, m.evidence_seen] AS unmoved
  WHERE m.weight_streak > 0 OR NOT coalesce(unmoved, false)
  SET m._lock = true
  REMOVE m._lock
  WITH collect(m) AS locked
  UNWIND locked AS m
  WITH m,
    m.truth_alpha + m.truth_beta + m.seen_count + coalesce(m.reinforced_count, 0) AS evidence,
    m.weight_alpha_seen / (m.weight_alpha_seen + m.weight_beta_seen) AS before,
    m.weight_alpha / (m.weight_alpha + m.weight_beta) AS after,
    coalesce(m.weight_streak, 0) AS streak_before
  WITH m, evidence, before, after, streak_before,
    CASE
      WHEN m.immutable OR NOT coalesce(m.access_count > m.uses_seen, false) THEN 0
      WHEN evidence > m.evidence_seen THEN 0
      WHEN EXISTS {
        MATCH (m)<-[returned:RETURNED]-(:Recall)
        WHERE returned.judged_at > $since
      } THEN 0
      ELSE streak_before + 1
    END AS streak
  SET
    m.weight_alpha_seen = m.weight_alpha,
    m.weight_beta_seen = m.weight_beta,
    m.uses_seen = m.access_count,
    m.evidence_seen = evidence,
    m.weight_streak = CASE WHEN streak > 0 THEN streak END,
    m.weight_paused = CASE WHEN $pause AND streak >= $cycles THEN true END
  RETURN collect({
    id: m.id,
    before: before,
    after: after,
    immutable: m.immutable,
    streak_before: streak_before,
    streak: streak
  }) AS moved
}
CALL (batch) {
  UNWIND batch AS m
  WITH m, m.weight_alpha / (m.weight_alpha + m.weight_beta) AS weight
  WHERE m.status IN ['active', 'dormant']
  WITH m, weight, m.truth_beta <= m.truth_alpha AND NOT EXISTS {
    MATCH (m)-[tension:IN_TENSION_WITH]-(:Memory)
    WHERE coalesce(tension.state, 'open') = 'open'
  } AS coherent
  ORDER BY weight DESC, m.id
  RETURN
    count(m) AS count,
    sum(weight) AS total,
    sum(weight * log(weight)) AS product,
    count(CASE WHEN coherent THEN 1 END) AS coherent,
    collect({id: m.id, weight: weight})[..$top] AS top
}
RETURN
  CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last,
  size(moved) AS changed,
  moved, count, total, product, coherent, top
