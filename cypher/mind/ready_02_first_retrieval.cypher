CYPHER 25
// Readiness, 2 of 10: the first recall of which a person said that something was of use.
// $space: string, whose
// returns: at (datetime, of the verdict), evidence (list of ids: the recall, the memory), paths (list of paths); no row
//   where there is none
MATCH (r:Recall)
WHERE r.space = $space AND r.at IS NOT NULL
WITH r ORDER BY r.space, r.at, r.id
MATCH path = (r)-[returned:RETURNED]->(m:Memory)
WHERE m.space = $space AND returned.useful
WITH r, m, returned, path LIMIT 1
RETURN coalesce(returned.judged_at, r.at) AS at, [r.id, m.id] AS evidence, [path] AS paths
