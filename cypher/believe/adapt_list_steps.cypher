CYPHER 25
// The steps of the gates' numbers that a run of the job took and that were not taken back since.
// $space: string, whose
// $run: string, the run
// returns: key (string), before, after (floats), own (boolean, whether the space had a number of its own before)
MATCH (:ConsolidationConfig {space: $space})-[:ADVISED]->(g:GateAdvice {run: $run})
WHERE g.moved AND g.undone_at IS NULL
RETURN g.key AS key, g.before AS before, g.after AS after, g.own AS own
ORDER BY key
