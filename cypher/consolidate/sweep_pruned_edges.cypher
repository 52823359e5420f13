CYPHER 25
// Delete some of the pruned edges that old runs are kept with; they are large, so they go before their runs.
// $space: string, whose runs; '' for those of every space
// $before: datetime, started before
// $batch_size: integer, records of edges at most
// returns: one row: removed (integer)
// Running it twice: the second run goes on with what is left.
MATCH (r:JobRun)
WHERE r.started_at < $before AND coalesce(r.space, '') = $space
MATCH (r)-[:PRUNED]->(p:PrunedEdges)
WITH r, p ORDER BY r.id, p.id LIMIT $batch_size
SET r._lock = true
REMOVE r._lock
WITH collect(p) AS old
FOREACH (p IN old | DETACH DELETE p)
RETURN size(old) AS removed
