CYPHER 25
// One batch of the memories that a run promoted.
// $space: string, whose
// $run: string, id of the run
// $after: string, id after which the batch begins
// $batch_size: integer, how many at most
// returns: one row: ids (list of strings, ascending)
MATCH (a:Archived {run: $run, last: true})
WHERE a.space = $space AND a.memory > $after
WITH a.memory AS id ORDER BY id LIMIT $batch_size
RETURN collect(id) AS ids
