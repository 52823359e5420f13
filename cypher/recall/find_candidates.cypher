CYPHER 25
// Everything that a recall scores, in one round trip: the nearest by vector, the best by words in what
// was said, and the best by words in its context. All legs over-fetch, because approximate search and a limit before the filter both lose hits.
// A score of 0 means that only the space matched: the query's words were all stop words.
// $space: string, whose; never null, a null would silently find nothing
// $statuses: list of strings, e.g. ['active']
// $valid_at_from: datetime, the memory began to hold no later than this
// $valid_at_to: datetime, it ended after this
// $known_at: datetime, it was known by then
// $vector: list of floats, the query's embedding; its length is the index's
// $lexical: string, the query over content in Lucene's syntax, with the space's key demanded; '' leaves
//   this leg out
// $context: string, the same over the context
// $width: integer, candidates from each leg
// $lexical_width: integer, rows taken from the full-text index for each of its legs before the filter
// returns: memory (map), semantic (float 0 to 1 or null), lexical, context (floats or null)
CALL () {
  MATCH (m:Memory)
  SEARCH m IN (
    VECTOR INDEX memory_embedding
    FOR $vector
    WHERE m.space = $space
      AND m.status IN $statuses
      AND m.valid_from <= $valid_at_from
      AND m.valid_to > $valid_at_to
      AND m.known_at <= $known_at
    LIMIT $width
  ) SCORE AS semantic
  RETURN m, semantic, null AS lexical, null AS context
  UNION ALL
  WITH $lexical AS lexical_query
  WHERE lexical_query <> ''
  CALL db.index.fulltext.queryNodes('memory_text', lexical_query, {limit: $lexical_width})
  YIELD node AS m, score AS lexical
  WHERE lexical > 0
    AND m.space = $space
    AND m.status IN $statuses
    AND m.valid_from <= $valid_at_from
    AND m.valid_to > $valid_at_to
    AND m.known_at <= $known_at
  RETURN m, null AS semantic, lexical, null AS context
  LIMIT $width
  UNION ALL
  WITH $context AS context_query
  WHERE context_query <> ''
  CALL db.index.fulltext.queryNodes('memory_text', context_query, {limit: $lexical_width})
  YIELD node AS m, score AS context
  WHERE context > 0
    AND m.space = $space
    AND m.status IN $statuses
    AND m.valid_from <= $valid_at_from
    AND m.valid_to > $valid_at_to
    AND m.known_at <= $known_at
  RETURN m, null AS semantic, null AS lexical, context
  LIMIT $width
}
WITH m, max(semantic) AS semantic, max(lexical) AS lexical, max(context) AS context
RETURN m {.*, embedding: null} AS memory, semantic, lexical, context
