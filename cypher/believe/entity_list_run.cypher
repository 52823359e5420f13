CYPHER 25
// The merges of one run of a job that are not taken back, the newest first.
// $space: string, whose
// $run: string, the run's id
// returns: id (string), names (list of strings, the alias first)
MATCH (b:BeliefChange {space: $space})
WHERE b.at IS NOT NULL AND b.run = $run AND b.kind = 'names_merge' AND b.undone_at IS NULL
RETURN
  b.id AS id,
  COLLECT {
    MATCH (b)-[r:CHANGED]->(e:Entity)
    WHERE r.role IN ['alias', 'canonical']
    WITH e, r ORDER BY r.role
    RETURN e.name
  } AS names
ORDER BY b.at DESC, id
