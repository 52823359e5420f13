CYPHER 25
// For each of several texts, the memories near it of what people said later: did somebody have to say it again?
// $space: string, whose
// $rows: list of maps {index (integer, the caller's), vector (list of floats), turn (string, id of the text's own turn),
//   after, until (datetimes)}
// $width: integer, memories for each text at most
// returns: index, content, for each memory one row
UNWIND $rows AS row
CALL (row) {
  WITH row, row.vector AS vector
  MATCH (m:Memory)
  SEARCH m IN (
    VECTOR INDEX memory_embedding
    FOR vector
    WHERE m.space = $space AND m.status = 'active' AND m.known_at > row.after AND m.known_at <= row.until
    LIMIT $width
  ) SCORE AS score
  WHERE m.source_tag = 'external_user' AND NOT EXISTS { (m)-[:DERIVED_FROM]->(:Turn {space: $space, id: row.turn}) }
  RETURN m.content AS content, score, m.id AS id
}
RETURN row.index AS index, content
ORDER BY index, score DESC, id
