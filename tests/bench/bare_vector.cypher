CYPHER 25
// The nearest memories by vector and nothing else: what a recall is measured against.
// $space: string, whose
// $statuses: list of strings
// $vector: list of floats, the question's embedding
// $width: integer, how many
// returns: id, content, score
MATCH (m:Memory)
SEARCH m IN (
  VECTOR INDEX memory_embedding
  FOR $vector
  WHERE m.space = $space
    AND m.status IN $statuses
  LIMIT $width
) SCORE AS score
RETURN m.id AS id, m.content AS content, score
