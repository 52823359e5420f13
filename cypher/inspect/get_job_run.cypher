CYPHER 25
// Find runs of jobs by id or by the beginning of one.
// $prefix: string, at least six characters
// returns: run (map), at most two rows: two mean that the prefix is ambiguous
MATCH (r:JobRun)
WHERE r.id STARTS WITH $prefix AND r.started_at IS NOT NULL
RETURN r {.*} AS run
ORDER BY r.id
LIMIT 2
