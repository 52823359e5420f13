CYPHER 25
// What a search of a store scores: the nearest by vector and the best by words, out of one namespace and what is below
// it, with all that scoring needs of each. `recall/find_candidates` does the same for a space.
// Two predicates say nothing new: they let the index on namespaces and keys serve a prefix.
// The cosines are computed one by one: no index knows namespaces, and taking the nearest of the whole space first would
// starve a small namespace beside large ones.
// $space: string, whose
// $namespace: string, labels joined by full stops; '' is the root
// $below: string, what the namespaces below it begin with
// $vector: list of floats, the query's embedding; null leaves that leg out
// $lexical: string, the query over the context in Lucene's syntax, with the space's key demanded; '' leaves that leg out
// $width: integer, candidates from each leg
// $lexical_width: integer, rows taken from the full-text index before the filter
// $generation: integer, of $vector: which model made it, and when it came into use
// returns: one row: candidates, edges, entities, blend, comparable (as `recall/find_candidates`, without edges and
//   entities), items (list of maps {id, namespace, key, value, since, put_at})
CALL () {
  CALL () {
    MATCH (m:Memory)
    WHERE $vector IS NOT NULL
      AND m.space = $space
      AND m.item_namespace STARTS WITH $namespace AND m.item_key IS NOT NULL
      AND (m.item_namespace = $namespace OR m.item_namespace STARTS WITH $below)
      AND m.item_indexed
      AND (m.status IN ['active', 'dormant'] OR (m.status = 'archived' AND m.archive_reason IS NOT NULL))
    WITH m, vector.similarity.cosine(m.embedding, $vector) AS similarity
    WHERE similarity IS NOT NULL
    WITH m, similarity ORDER BY similarity DESC, m.id LIMIT $width
    RETURN m, null AS lexical
    UNION ALL
    WITH $lexical AS lexical_query
    WHERE lexical_query <> ''
    CALL db.index.fulltext.queryNodes('memory_text', lexical_query, {limit: $lexical_width})
    YIELD node AS m, score AS lexical
    WHERE lexical > 0
      AND m.space = $space
      AND (m.item_namespace = $namespace OR m.item_namespace STARTS WITH $below)
      AND m.item_indexed
      AND (m.status IN ['active', 'dormant'] OR (m.status = 'archived' AND m.archive_reason IS NOT NULL))
    WITH m, lexical LIMIT $width
    RETURN m, lexical
  }
  WITH m, max(lexical) AS lexical
  WITH m, lexical, properties(m) AS p
  // Erased while this ran, a memory has no properties left.
  WHERE p.id IS NOT NULL AND p.expires_at IS NOT NULL
  RETURN collect([
    vector.similarity.cosine(p.embedding, $vector),
    lexical,
    [],
    [t IN p.accessed_at | t.epochSeconds * 1000000 + t.microsecond],
    [
      p.id, p.space, p.kind, p.content, p.contextualized, p.category, p.compressed, p.tier, p.status,
      p.source, p.source_tag, p.source_confidence, p.speaker, p.immutable, p.access_count, p.seen_count,
      p.energy, p.weight_alpha, p.weight_beta, p.truth_alpha, p.truth_beta, p.importance, p.embed_model,
      p.version
    ],
    [
      t IN [
        p.created_at, p.event_at, p.known_at, p.valid_from, p.valid_to, p.last_accessed_at, p.energy_at,
        p.expires_at
      ] | t.epochSeconds * 1000000 + t.microsecond
    ],
    p.lifecycle_state,
    p.verification_state
  ]) AS candidates,
  collect({
    id: p.id, namespace: p.item_namespace, key: p.item_key, value: p.item_value, since: p.item_since,
    put_at: p.last_seen_at
  }) AS items
}
OPTIONAL MATCH (b:RelevanceBlend {space: $space})
OPTIONAL MATCH (v:EngramSchema {id: 'engram'})
RETURN
  candidates,
  [] AS edges,
  [] AS entities,
  b {.experience, .offsets} AS blend,
  coalesce(v.generation, 0) = $generation OR coalesce(v.other_generation = $generation, false) AS comparable,
  items
