CYPHER 25
// Snapshots of one batch that do not lead to exactly one living memory.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, snapshots looked at
// returns: one row: last (string, id of the last snapshot looked at; null when there was none), found (list of maps
//   {check, broken, examples (ids, five at most)})
MATCH (a:Archived)
WHERE a.space = $space AND a.id > $after
WITH a ORDER BY a.space, a.id LIMIT $batch_size
OPTIONAL MATCH (a)-[:PROMOTED_TO|CRYSTALLIZED_INTO]->+(m:Memory)
WITH a.id AS id, count(DISTINCT m) AS memories
WITH max(id) AS last, collect(CASE WHEN memories <> 1 THEN id END) AS ids
RETURN last, [{check: 'stray snapshot', broken: size(ids), examples: ids[..5]}] AS found
