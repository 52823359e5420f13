CYPHER 25
// One batch of the memories that a run of the job archive has put away.
// $space: string, whose
// $run: string, id of the run
// $after: string, id after which the batch begins
// $batch_size: integer, how many at most
// returns: one row: ids (list of strings, ascending)
MATCH (m:Memory)
WHERE m.space = $space AND m.archived_run = $run AND m.id > $after
WITH m ORDER BY m.space, m.archived_run, m.id LIMIT $batch_size
RETURN collect(m.id) AS ids
