CYPHER 25
// What a promotion may not upset: how many of the memories that weigh like identity hold together, and which weigh most;
// and how much of all weight promotions have lent. Two walks over the index of tiers, as inspect/read_identity has them;
// the predicate on the tier is always true.
// $space: string, whose
// $threshold: float, centre from which a memory weighs like identity
// $top: integer, how many of the weightiest
// returns: one row: memories (integer, those that weigh like identity), coherent (integer, how many of them are in no open
//   tension and have no more evidence against than for), alpha (float, sum over all active memories), lent (float, what of
//   that promotions have added), top (list of strings, ids)
CALL () {
  MATCH (m:Memory {space: $space})
  WHERE m.tier IS NOT NULL AND m.status = 'active'
  WITH m, m.weight_alpha / (m.weight_alpha + m.weight_beta) >= $threshold AS weighty
  RETURN
    count(CASE WHEN weighty THEN 1 END) AS memories,
    count(CASE
      WHEN weighty AND m.truth_beta <= m.truth_alpha AND NOT EXISTS {
        MATCH (m)-[tension:IN_TENSION_WITH]-(:Memory)
        WHERE coalesce(tension.state, 'open') = 'open'
      } THEN 1
    END) AS coherent,
    sum(m.weight_alpha) AS alpha,
    sum(coalesce(m.pattern_alpha, 0.0)) AS lent
}
CALL () {
  MATCH (m:Memory {space: $space})
  WHERE m.tier IS NOT NULL AND m.status = 'active'
  WITH m, m.weight_alpha / (m.weight_alpha + m.weight_beta) AS center ORDER BY center DESC, m.id LIMIT $top
  RETURN collect(m.id) AS top
}
RETURN memories, coherent, alpha, lent, top
