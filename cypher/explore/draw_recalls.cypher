CYPHER 25
// What came back? The last questions and the memories that answered them, best first.
// $space: string, whose
// $limit: integer, most memories; a fifth as many questions
// returns: path, from a recall to a memory that it returned
MATCH (recall:Recall {space: $space})
WHERE recall.at IS NOT NULL
WITH recall
ORDER BY recall.at DESC, recall.id
LIMIT 1 + $limit / 5
CALL (recall) {
  MATCH path = (recall)-[link:RETURNED]->(:Memory {space: $space})
  RETURN path
  ORDER BY link.rank
  LIMIT 5
}
RETURN path
