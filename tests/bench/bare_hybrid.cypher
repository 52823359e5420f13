CYPHER 25
// The nearest memories by vector and the best by words, and nothing else: what a recall is measured against.
// $space: string, whose
// $statuses: list of strings
// $vector: list of floats, the question's embedding
// $lexical: string, the question in Lucene's syntax, with the space's key demanded
// $width: integer, how many of each
// returns: id, content, score
CALL () {
  MATCH (m:Memory)
  SEARCH m IN (
    VECTOR INDEX memory_embedding
    FOR $vector
    WHERE m.space = $space
      AND m.status IN $statuses
    LIMIT $width
  ) SCORE AS score
  RETURN m, score
  UNION ALL
  CALL db.index.fulltext.queryNodes('memory_text', $lexical, {limit: $width}) YIELD node AS m, score
  WHERE m.space = $space
  RETURN m, score
}
RETURN m.id AS id, m.content AS content, score
