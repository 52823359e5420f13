CYPHER 25
// Memories as a dream sees them: what they say, whom and what they are about, where they belong, and which insights cite
// them already.
// $space: string, whose
// $ids: list of strings, the memories'
// returns: id, content, kind, category, source_tag, speaker, subject (strings or null), event_at (datetime), importance
//   (float), depth (integer, 0 of what was not dreamed), names (list of lists: key and name of each entity that it
//   mentions), cluster (map {id, label, size} or null), and lists of ids of insights: quoted (the active ones that
//   cite it and quote one of what they cite), merged (the active ones that it was merged into and that have quieted it),
//   refused (those that cited it and that a person took back)
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space AND m.status = 'active'
CALL (m) {
  MATCH (m)-[:MENTIONS]->(e:Entity)
  WHERE e.space = $space
  WITH e ORDER BY e.key
  RETURN collect([e.key, e.name]) AS names
}
CALL (m) {
  OPTIONAL MATCH (m)-[b:BELONGS_TO]->(c:SemanticCluster)
  WHERE c.space = $space AND c.status = 'active'
  WITH c {.id, .label, .size} AS cluster, b ORDER BY b.strength DESC, c.id LIMIT 1
  RETURN cluster
}
RETURN
  m.id AS id, m.content AS content, m.kind AS kind, m.category AS category, m.source_tag AS source_tag,
  m.speaker AS speaker, m.subject AS subject, m.event_at AS event_at, m.importance AS importance,
  coalesce(m.dream_depth, 0) AS depth, names, cluster,
  COLLECT {
    MATCH (m)<-[:DERIVED_FROM]-(i:Memory)
    WHERE i.space = $space AND i.status = 'active' AND i.dreamed IN ['insight', 'merge'] AND i.dreamed_by = 'words'
    RETURN i.id AS insight ORDER BY insight
  } AS quoted,
  COLLECT {
    MATCH (m)<-[:DERIVED_FROM]-(i:Memory)
    WHERE i.space = $space AND i.status = 'active' AND i.dreamed = 'merge' AND (m.immutable OR EXISTS {
      MATCH (i)<-[:CHANGED {role: 'insight'}]-(c:BeliefChange)-[r:CHANGED {role: 'source'}]->(m)
      WHERE c.space = $space AND c.undone_at IS NULL AND r.quieted > 0.0
    })
    RETURN i.id AS insight ORDER BY insight
  } AS merged,
  COLLECT {
    MATCH (m)<-[:DERIVED_FROM]-(i:Memory)
    WHERE i.space = $space AND i.status = 'archived' AND i.withdrawn_at IS NULL AND i.dreamed IN ['insight', 'merge']
    RETURN i.id AS insight ORDER BY insight
  } AS refused
