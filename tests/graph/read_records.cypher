CYPHER 25
// The records and counters of a space.
// $space: string, whose
// $jobs: list of strings, jobs whose counters of all spaces are wanted too
// returns: one row: recalls, returned, changes, attempts, claims, runs, pruned, snapshots (ids or counts), counters (map,
//   kind and month to the counter's numbers)
CALL () {
  MATCH (r:Recall)
  WHERE r.space = $space
  RETURN count(r) AS recalls, sum(count { (r)-[:RETURNED]->() }) AS returned
}
CALL () {
  MATCH (:RelevanceBlend {space: $space})-[:CHANGED]->(x:BlendChange)
  RETURN count(x) AS changes
}
CALL () {
  MATCH (a:ConsolidationAttempt)
  WHERE a.space = $space
  RETURN
    collect({id: a.id, outcome: a.outcome, ended: a.ended_at IS NOT NULL}) AS attempts,
    sum(count { (a)<-[:CONSOLIDATING]-() }) AS claims
}
CALL () {
  MATCH (r:JobRun)
  WHERE r.space = $space OR (r.space IS NULL AND r.job IN $jobs)
  RETURN collect(r.id) AS runs
}
CALL () {
  MATCH (p:PrunedEdges)
  WHERE p.space = $space
  RETURN count(p) AS pruned
}
CALL () {
  MATCH (a:Archived)
  WHERE a.space = $space
  WITH a.id AS id ORDER BY id
  RETURN collect(id) AS snapshots
}
CALL () {
  MATCH (c:RecordCounter)
  WHERE c.space = $space OR (c.space = '' AND c.kind IN [job IN $jobs | 'JobRun:' + job])
  RETURN collect(c {.*}) AS counters
}
RETURN recalls, returned, changes, attempts, claims, runs, pruned, snapshots, counters
