CYPHER 25
// Everything that a recall scores, in one round trip: the nearest by vector, the best by words, those said
// in the time and by or about whom the question names, what was said next to the best, and what is used
// together with them; with all that scoring needs of each.
// The legs over-fetch, because approximate search and a limit before the filter both lose hits. A memory
// that only one leg found gets its exact cosine: guessing it costs more recall than computing it.
// A lexical score of 0 means that only the space matched: the query's words were all stop words.
// Properties are read as one map: node by node that is one pass over the record, not one for each.
// Times come as microseconds since 1970: 1,600 of them make Python objects only where a hit needs them.
// $space: string, whose; never null, a null would silently find nothing
// $statuses: list of strings, e.g. ['active']
// $past: boolean, whether the next three say more than "always"; they are not looked at otherwise
// $valid_at_from: datetime, the memory began to hold no later than this
// $valid_at_to: datetime, it ended after this, or nobody knew yet that it had
// $known_at: datetime, it was known by then
// $vector: list of floats, the query's embedding; its length is the index's; null leaves this leg out
// $felt: list of floats, the gut feeling in the conversation; null where there is none, and then nothing is computed of it
// $lexical: string, the query over the context in Lucene's syntax, with the space's key demanded; '' leaves
//   this leg out
// $width: integer, candidates from each leg
// $vector_width: integer, rows taken from the vector index before the end of validity is looked at
// $worded_width: integer, how many of the best by words are candidates though the vector index left them out
// $lexical_width: integer, rows taken from the full-text index before the filter
// $names: list of strings, keys that may be an entity's
// $rare: integer, an entity mentioned no more often than this brings its memories along, the rarest first and
//   no more than this in all
// $spans: list of maps {start, end}, times that the question speaks of
// $dated_width: integer, candidates from each of those
// $cold_width: integer, candidates from what a job has put away
// $strong: float, the least similarity, 0 to 1, that brings one of those back
// $confidence: map {grace_days, doubt, least}: after how many idle days an edge loses how much of its confidence a day,
//   and below what it is not followed; its weight counts by its confidence
// $now: datetime, the time that is asked for
// $generation: integer, of $vector: which model made it, and when it came into use
// $seeds: integer, how many of the best are followed to their neighbours and partners
// $partners: integer, how many partners of each
// $hops: integer, 1 or 2
// $active: list of strings, ids of memories at hand; their partners are followed too
// returns: one row: candidates (list of lists: similarity 0 to 1 or null, lexical or null, mentions, accessed
//   (list of microseconds), plain and times (lists, in the order of engram.records.PLAIN and TIMES), lifecycle and
//   verification state (strings or null), how near it is to the feeling (0 to 1, or null)),
//   edges (list of lists: id followed from, id reached, weight, hop 0 to 2, fan), entities (list of keys),
//   blend (map or null), comparable (boolean, whether the slot that was searched holds vectors of that generation)
CALL () {
  CALL () {
    WITH $vector AS vector
    WHERE vector IS NOT NULL
    MATCH (m:Memory)
    SEARCH m IN (
      VECTOR INDEX memory_embedding
      FOR vector
      WHERE m.space = $space
        AND m.status IN $statuses
        AND m.valid_from <= $valid_at_from
        AND m.known_at <= $known_at
      LIMIT $vector_width
    ) SCORE AS similarity
    WHERE NOT $past
      OR m.valid_to > $valid_at_to
      OR (m.closed_at > $valid_at_to AND m.valid_to_before > $valid_at_to)
    RETURN m, similarity, null AS lexical, null AS place
    LIMIT $width
    UNION ALL
    WITH $vector AS vector
    WHERE vector IS NOT NULL AND NOT $past
    MATCH (m:Memory)
    SEARCH m IN (
      VECTOR INDEX memory_embedding
      FOR vector
      WHERE m.space = $space AND m.status = 'archived'
      LIMIT $cold_width
    ) SCORE AS similarity
    // What a person has put away bears no reason, and stays away.
    WHERE similarity > $strong AND m.archive_reason IS NOT NULL
    RETURN m, similarity, null AS lexical, null AS place
    UNION ALL
    WITH $lexical AS lexical_query
    WHERE lexical_query <> ''
    CALL db.index.fulltext.queryNodes('memory_text', lexical_query, {limit: $lexical_width})
    YIELD node AS m, score AS lexical
    WHERE lexical > 0
      AND m.space = $space
      // What a job has put away is left out below, unless the vector leg has found it too.
      AND (m.status IN $statuses OR m.archive_reason IS NOT NULL)
      AND (NOT $past OR (
        m.valid_from <= $valid_at_from
        AND m.known_at <= $known_at
        AND (m.valid_to > $valid_at_to OR (m.closed_at > $valid_at_to AND m.valid_to_before > $valid_at_to))
      ))
    WITH m, lexical
    LIMIT $width
    WITH collect({memory: m, lexical: lexical}) AS worded
    UNWIND range(0, size(worded) - 1) AS place
    RETURN worded[place].memory AS m, null AS similarity, worded[place].lexical AS lexical, place
    UNION ALL
    UNWIND CASE WHEN $vector IS NULL THEN [] ELSE $spans END AS span
    MATCH (m:Memory)
    SEARCH m IN (
      VECTOR INDEX memory_embedding
      FOR $vector
      WHERE m.space = $space
        AND m.status IN $statuses
        AND m.valid_from >= span.start
        AND m.valid_from < span.end
        AND m.known_at <= $known_at
      LIMIT $dated_width
    ) SCORE AS similarity
    WHERE NOT $past
      OR m.valid_to > $valid_at_to
      OR (m.closed_at > $valid_at_to AND m.valid_to_before > $valid_at_to)
    RETURN m, similarity, null AS lexical, null AS place
  }
  WITH m, max(similarity) AS similarity, max(lexical) AS lexical, max(place) AS place
  WHERE (similarity IS NOT NULL OR $vector IS NULL OR place < $worded_width)
    AND (m.status IN $statuses OR similarity IS NOT NULL)
  WITH m, coalesce(similarity, vector.similarity.cosine(m.embedding, $vector)) AS similarity, lexical
  ORDER BY coalesce(similarity, 0.5) + coalesce(lexical / (lexical + 10.0), 0.0) DESC, m.id
  RETURN collect({memory: m, similarity: similarity, lexical: lexical}) AS found
}
CALL () {
  MATCH (asked:Entity)
  WHERE asked.space = $space AND asked.key IN $names
  // Whoever is asked for by one name is also what is said under the others that mean the same.
  OPTIONAL MATCH (asked)-[:ALIAS_OF]->(c:Entity)
  WITH DISTINCT coalesce(c, asked) AS one
  UNWIND [one] + [(one)<-[:ALIAS_OF]-(a:Entity) | a] AS e
  WITH DISTINCT e
  WHERE e.space = $space
  RETURN collect(e) AS entities
}
CALL (entities) {
  UNWIND entities AS e
  WITH e, count { (e)<-[:MENTIONS]-() } AS mentions
  WHERE mentions <= $rare
  ORDER BY mentions, e.key
  MATCH (e)<-[:MENTIONS]-(m:Memory)
  WITH m
  LIMIT $rare
  RETURN collect(m) AS named
}
WITH found, entities, named, [f IN found[..$seeds] | f.memory] AS seeds
CALL (seeds) {
  UNWIND seeds AS s
  MATCH (s)-[:FOLLOWS]-(m:Memory)
  RETURN collect(m) AS neighbours
}
CALL (seeds) {
  CALL (seeds) {
    UNWIND $active AS id
    MATCH (s:Memory {id: id})
    WHERE s.space = $space
    RETURN s, 0 AS hop
    UNION ALL
    UNWIND seeds AS s
    RETURN s, 1 AS hop
  }
  CALL (s) {
    MATCH (s)-[c:CO_ACCESSED]-(p:Memory)
    WITH p, c.weight AS weight, coalesce(c.confidence, 1.0) AS sure,
      ($now.epochSeconds - c.last_at.epochSeconds) / 86400.0 - $confidence.grace_days AS idle
    WITH p, weight, sure - CASE WHEN idle > 0.0 THEN $confidence.doubt * idle ELSE 0.0 END AS sure
    WHERE sure >= $confidence.least
    RETURN p, weight * sure AS weight
    ORDER BY weight DESC, p.id
    LIMIT $partners
  }
  RETURN
    collect(CASE WHEN hop = 1 THEN p END) AS hop_1,
    collect(p) AS partners,
    collect([s.id, p.id, weight, hop, count { (s)-[:CO_ACCESSED]-() }]) AS near_edges
}
CALL (hop_1) {
  WITH hop_1
  WHERE $hops = 2
  UNWIND hop_1 AS s
  WITH DISTINCT s
  CALL (s) {
    MATCH (s)-[c:CO_ACCESSED]-(p:Memory)
    WITH p, c.weight AS weight, coalesce(c.confidence, 1.0) AS sure,
      ($now.epochSeconds - c.last_at.epochSeconds) / 86400.0 - $confidence.grace_days AS idle
    WITH p, weight, sure - CASE WHEN idle > 0.0 THEN $confidence.doubt * idle ELSE 0.0 END AS sure
    WHERE sure >= $confidence.least
    RETURN p, weight * sure AS weight
    ORDER BY weight DESC, p.id
    LIMIT $partners
  }
  RETURN
    collect(p) AS far_partners,
    collect([s.id, p.id, weight, 2, count { (s)-[:CO_ACCESSED]-() }]) AS far_edges
}
CALL (found, entities, named, neighbours, partners, far_partners) {
  CALL (found, named, neighbours, partners, far_partners) {
    UNWIND found AS f
    RETURN f.memory AS m, f.similarity AS similarity, f.lexical AS lexical
    UNION ALL
    WITH [f IN found | f.memory] AS known, named + neighbours + partners + far_partners AS others
    UNWIND others AS m
    WITH DISTINCT m, known
    WHERE NOT m IN known
      AND m.space = $space
      AND m.status IN $statuses
      AND (NOT $past OR (
        m.valid_from <= $valid_at_from
        AND m.known_at <= $known_at
        AND (m.valid_to > $valid_at_to OR (m.closed_at > $valid_at_to AND m.valid_to_before > $valid_at_to))
      ))
    RETURN m, null AS similarity, null AS lexical
  }
  WITH m, similarity, lexical, properties(m) AS p
  // Erased while this ran, a memory has no properties left.
  WHERE p.id IS NOT NULL AND p.expires_at IS NOT NULL
  RETURN collect([
    coalesce(similarity, vector.similarity.cosine(p.embedding, $vector)),
    lexical,
    [(m)-[r:MENTIONS]->(e) WHERE e IN entities | r.role],
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
    p.verification_state,
    vector.similarity.cosine(p.embedding, $felt)
  ]) AS candidates
}
OPTIONAL MATCH (b:RelevanceBlend {space: $space})
OPTIONAL MATCH (v:EngramSchema {id: 'engram'})
RETURN
  candidates,
  near_edges + far_edges AS edges,
  [e IN entities | e.key] AS entities,
  b {.experience, .offsets} AS blend,
  coalesce(v.generation, 0) = $generation OR coalesce(v.other_generation = $generation, false) AS comparable
