CYPHER 25
// Whether there is anything to dream of: the last dream of a space, and what is new since then. The agent's own thoughts
// are nothing new. A memory's last use is never before its beginning, so the index of uses finds what is new.
// $space: string, whose
// $tags: list of strings, source tags of what is not dreamed of
// returns: one row: last (map or null, what the last dream came to), memories (integer, new active ones), importance
//   (float, their sum), clusters (integer, formed or changed since)
OPTIONAL MATCH (d:Dream {space: $space})
WITH d LIMIT 1
WITH d, coalesce(d.at, datetime({epochSeconds: 0})) AS since
CALL (since) {
  MATCH (m:Memory)
  WHERE m.space = $space AND m.last_accessed_at > since
    AND m.created_at > since AND m.status = 'active' AND NOT m.source_tag IN $tags
  RETURN count(m) AS memories, coalesce(sum(m.importance), 0.0) AS importance
}
CALL (since) {
  MATCH (c:SemanticCluster)
  WHERE c.space = $space AND c.status = 'active' AND c.updated_at > since
  RETURN count(c) AS clusters
}
RETURN d {.*} AS last, memories, importance, clusters
