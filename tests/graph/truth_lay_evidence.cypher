CYPHER 25
// Lay memories with turns, citations, tensions and corrections by hand.
// $space: string, whose
// $memories: list of maps {id, source_tag, source_confidence, speaker, alpha, beta, turns (list of maps {id, speaker,
//   source_tag, confidence}), cites (list of ids)}; what is cited comes first
// $tensions: list of maps {one, other, state}
// $corrections: list of maps {by, of}
UNWIND $memories AS row
MERGE (m:Memory {id: row.id})
  ON CREATE SET
    m.space = $space,
    m.content_hash = row.id,
    m.source = 'hand',
    m.source_tag = row.source_tag,
    m.source_confidence = row.source_confidence,
    m.speaker = row.speaker,
    m.truth_alpha = row.alpha,
    m.truth_beta = row.beta,
    m.weight_alpha = 1.0,
    m.weight_beta = 4.0
FOREACH (turn IN row.turns |
  MERGE (t:Turn {space: $space, id: turn.id})
    ON CREATE SET
      t.speaker = turn.speaker,
      t.source_tag = turn.source_tag
  MERGE (m)-[d:DERIVED_FROM]->(t)
    ON CREATE SET d.confidence = turn.confidence
)
FOREACH (cited IN row.cites |
  MERGE (c:Memory {id: cited})
  MERGE (m)-[:DERIVED_FROM]->(c)
)
WITH count(*) AS laid
CALL () {
  UNWIND $tensions AS row
  MATCH (one:Memory {id: row.one})
  MATCH (other:Memory {id: row.other})
  MERGE (one)-[t:IN_TENSION_WITH]->(other)
    ON CREATE SET t.state = row.state
  RETURN count(*) AS tensions
}
CALL () {
  UNWIND $corrections AS row
  MATCH (by:Memory {id: row.by})
  MATCH (of:Memory {id: row.of})
  MERGE (by)-[s:SUPERSEDES]->(of)
    ON CREATE SET s.correction = row.correction
  RETURN count(*) AS corrections
}
RETURN laid, tensions, corrections
