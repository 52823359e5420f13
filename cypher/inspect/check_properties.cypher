CYPHER 25
// Memories of one batch that lack a property or have one of the wrong type, which Community has no constraints for.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// returns: one row: last (string, id of the last memory looked at; null when there was none), found (list of maps
//   {check, broken, examples (ids, five at most)})
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH
  m.id AS id,
  all(text IN [
    m.space_key, m.kind, m.content, m.contextualized, m.content_hash, m.tier, m.status, m.source_tag, m.embed_model
  ] WHERE text IS :: STRING NOT NULL)
    AND all(time IN [
      m.created_at, m.event_at, m.known_at, m.valid_from, m.valid_to, m.last_accessed_at, m.energy_at, m.expires_at
    ] WHERE time IS :: ZONED DATETIME NOT NULL)
    AND all(number IN [
      m.energy, m.weight_alpha, m.weight_beta, m.truth_alpha, m.truth_beta, m.importance, m.source_confidence
    ] WHERE number IS :: FLOAT NOT NULL)
    AND all(count IN [m.access_count, m.seen_count, m.version] WHERE count IS :: INTEGER NOT NULL)
    AND m.accessed_at IS :: LIST<ZONED DATETIME NOT NULL> NOT NULL
    AND m.embedding IS :: LIST<FLOAT NOT NULL> NOT NULL
    AND m.immutable IS :: BOOLEAN NOT NULL AS whole
WITH max(id) AS last, collect(CASE WHEN NOT whole THEN id END) AS ids
RETURN last, [{check: 'properties', broken: size(ids), examples: ids[..5]}] AS found
