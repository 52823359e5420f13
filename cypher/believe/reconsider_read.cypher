CYPHER 25
// Insights with what they rest on as that stands now. What is archived by a job is out of sight and not untrue.
// $space: string, whose
// $ids: list of strings, the insights'
// returns: memory (map), turns (integer, turns that it rests on itself), sources (list of maps {id, content, status,
//   stands (boolean), successor (map {id, content} of the memory that holds in its place, or null)}, ascending by id),
//   ascending by id
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space
RETURN
  m {.*, embedding: null, embedding_b: null} AS memory,
  count { (m)-[:DERIVED_FROM]->(:Turn) } AS turns,
  COLLECT {
    MATCH (m)-[:DERIVED_FROM]->(s:Memory)
    WHERE s.space = $space
    WITH s ORDER BY s.id
    RETURN s {
      .id,
      .content,
      .status,
      stands: s.status IN ['active', 'dormant']
        OR (s.status = 'archived' AND s.archive_reason IS NOT NULL)
        OR EXISTS { (m)-[:SUPERSEDES]->(s) },
      successor: head(COLLECT {
        MATCH path = ANY SHORTEST (s)((a)<-[:SUPERSEDES]-(b WHERE b.space = $space)){1,20}(x:Memory)
        WHERE x.status = 'active' AND x <> m
        WITH x ORDER BY length(path), x.id LIMIT 1
        RETURN x {.id, .content}
      })
    }
  } AS sources
ORDER BY m.id
