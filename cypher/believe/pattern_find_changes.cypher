CYPHER 25
// The changes of belief that one run of a job has made and that were not taken back, the newest first.
// $space: string, whose
// $run: string, id of the run
// returns: one row: ids (list of strings)
MATCH (c:BeliefChange {space: $space})
WHERE c.at IS NOT NULL AND c.run = $run AND c.undone_at IS NULL
// Of one instant the later stage comes first: it rests on the earlier one.
WITH c, coalesce(head(COLLECT { MATCH (c)-[r:CHANGED {role: 'promoted'}]->() RETURN r.pattern_stage }), -1) AS stage
ORDER BY c.at DESC, stage DESC, c.id
RETURN collect(c.id) AS ids
