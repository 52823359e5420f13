CYPHER 25
// Create records of runs by hand, each with one record of pruned edges.
// $space: string, whose
// $runs: list of maps of properties; a run over every space has no `space`
UNWIND $runs AS run
CREATE (r:JobRun)-[:PRUNED]->(:PrunedEdges {id: run.id + '-0', space: $space, from: [], to: []})
SET r = run
