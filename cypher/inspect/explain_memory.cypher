CYPHER 25
// Why a memory is believed: the graph path from it to what it rests on and what it replaced, down to
// the turns and their sessions, and up to what replaced it. Paste it into Neo4j Browser to see it drawn.
// $space: string, whose
// $id: string, the memory's
// $limit: integer, most paths
// returns: path, shorter ones first; the first is the memory alone
MATCH (m:Memory {id: $id})
WHERE m.space = $space
CALL (m) {
  MATCH path = (m)-[:DERIVED_FROM|SUPERSEDES|REINFORCES|PART_OF*0..6]->(end)
  WHERE end.space = $space
  RETURN path
  UNION
  MATCH path = (m)<-[:SUPERSEDES*1..6]-(end)
  WHERE end.space = $space
  RETURN path
}
RETURN path
ORDER BY length(path)
LIMIT $limit
