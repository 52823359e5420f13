CYPHER 25
// The versions of a space's working memory, the newest first, or one of them.
// $space: string, whose
// $number: integer or null, the one of that number; null: all
// $limit: integer, most versions
// returns: version (map {id, version, at, state, text, mood, reason, chars, plain, seeded}), cites (integer, memories)
MATCH (w:WorkingMemory)
WHERE w.space = $space AND w.version IS NOT NULL AND ($number IS NULL OR w.version = $number)
WITH w ORDER BY w.space DESC, w.version DESC LIMIT $limit
RETURN
  w {.id, .version, .at, .state, .text, .mood, .reason, .chars, .plain, .seeded} AS version,
  COUNT { MATCH (w)-[:CITES]->(m:Memory) WHERE m.space = $space RETURN DISTINCT m } AS cites
ORDER BY w.version DESC
