CYPHER 25
// The changes of belief that one run of a job has made and that were not taken back, the newest first: of one instant, for
// a run has one time for all that it does, the last that was written.
// $space: string, whose
// $run: string, id of the run
// returns: id (string), names (list of strings, of the entities that it touched, by role; none where it touched memories)
MATCH (c:BeliefChange {space: $space})
WHERE c.at IS NOT NULL AND c.run = $run AND c.undone_at IS NULL
RETURN
  c.id AS id,
  COLLECT {
    MATCH (c)-[r:CHANGED]->(e:Entity)
    WHERE r.role IN ['alias', 'canonical']
    WITH e, r ORDER BY r.role
    RETURN e.name
  } AS names
ORDER BY c.at DESC, c.recorded_at DESC, id
