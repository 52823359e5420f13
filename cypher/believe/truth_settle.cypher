CYPHER 25
// Recompute how well evidenced memories are, from the evidence that the graph holds. A piece of evidence is a turn that a
// memory, or a memory that it cites, rests on; what rests on no turn is a piece of its own source. What the agent thought
// by itself is none. The same formula stands in engram.beliefs.truth.
// The memories were locked in the same transaction.
// $space: string, whose
// $ids: list of strings, the memories'
// $repeat: float, 0 to below 1: what a further piece of the same source counts, of the piece before it
// returns: id (string), alpha, beta (floats), ascending by id
// Running it twice: no change.
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space
WITH DISTINCT m ORDER BY m.id
WITH collect(m) AS settled
CALL (settled) {
  UNWIND settled AS m
  MATCH (m)-[t:IN_TENSION_WITH]-(other:Memory)
  WHERE other.space = $space AND coalesce(t.state, 'open') IN ['open', 'acknowledged']
  RETURN collect(DISTINCT {memory: m, other: other}) AS tensions
}
CALL (settled, tensions) {
  UNWIND settled + [tension IN tensions | tension.other] AS m
  WITH DISTINCT m
  CALL (m) {
    // Of one memory: the speakers of its own turns, and where it has none its own source.
    MATCH (m)-[d:DERIVED_FROM]->(t:Turn)
    WHERE t.space = $space AND coalesce(t.source_tag, m.source_tag) = 'external_user'
    RETURN t.speaker AS source, t.id AS piece, coalesce(d.confidence, m.source_confidence, 1.0) AS confidence
    UNION ALL
    WITH m
    WHERE m.source_tag = 'external_user' AND NOT EXISTS { (m)-[:DERIVED_FROM]->(:Turn) }
    RETURN coalesce(m.speaker, m.source) AS source, m.id AS piece, coalesce(m.source_confidence, 1.0) AS confidence
    UNION ALL
    // Of what it cites: the same, each as far as the cited memory is true.
    MATCH (m)-[:DERIVED_FROM]->(cited:Memory)
    WHERE cited.space = $space
    WITH cited, cited.truth_alpha / (cited.truth_alpha + cited.truth_beta) AS truth
    CALL (cited) {
      MATCH (cited)-[:DERIVED_FROM]->{0, 3}(x:Memory)-[:DERIVED_FROM]->(t:Turn)
      WHERE x.space = $space AND t.space = $space AND coalesce(t.source_tag, x.source_tag) = 'external_user'
      RETURN t.speaker AS source, t.id AS piece
      UNION
      MATCH (cited)-[:DERIVED_FROM]->{0, 3}(x:Memory)
      WHERE x.space = $space AND x.source_tag = 'external_user' AND NOT EXISTS { (x)-[:DERIVED_FROM]->(:Turn) }
      RETURN coalesce(x.speaker, x.source) AS source, x.id AS piece
    }
    RETURN source, piece, coalesce(truth, 0.5) AS confidence
  }
  WITH m, source, count(DISTINCT piece) AS pieces, max(confidence) AS best
  WITH m, sum(best * (1.0 - $repeat ^ pieces) / (1.0 - $repeat)) AS support
  RETURN collect({memory: m, support: support}) AS supports
}
UNWIND settled AS m
WITH m,
  reduce(sum = 0.0, each IN supports | sum + CASE WHEN each.memory = m THEN each.support ELSE 0.0 END) AS support,
  reduce(sum = 0.0, tension IN tensions | sum + CASE
    WHEN tension.memory = m THEN reduce(least = 0.0, each IN supports |
      CASE
        WHEN each.memory <> tension.other THEN least
        WHEN each.support < 1.0 THEN each.support
        ELSE 1.0
      END)
    ELSE 0.0
  END) AS disputed,
  count { (m)<-[s:SUPERSEDES]-(x:Memory) WHERE x.space = $space AND s.correction } AS corrected,
  count {
    (m)<-[:CHANGED {role: 'refused'}]-(c:BeliefChange)
    WHERE c.space = $space AND c.kind = 'resolution' AND c.undone_at IS NULL
  } AS refused
SET
  m.truth_alpha = 1.0 + support,
  m.truth_beta = 1.0 + disputed + corrected + refused
RETURN m.id AS id, m.truth_alpha AS alpha, m.truth_beta AS beta
ORDER BY id
