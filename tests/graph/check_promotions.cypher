CYPHER 25
// What must hold of a space's promotions and claims, counted.
// $space: string, whose
// returns: memories, due (waiting for promotion), once (of version 2: changed once), astray (whose snapshots are not
//   those of the way to their tier, in its order), snapshots (that lead to a memory), archived (all that there are),
//   claims, unended (attempts); all integers
MATCH (m:Memory)
WHERE m.space = $space
CALL (m) {
  OPTIONAL MATCH path = (m)<-[:PROMOTED_TO|CRYSTALLIZED_INTO]-+(a:Archived)
  WITH a, length(path) AS steps ORDER BY steps DESC
  RETURN collect(a.tier) AS left_behind
}
WITH
  count(m) AS memories,
  count(m.promote_due_at) AS due,
  sum(CASE WHEN m.version = 2 THEN 1 ELSE 0 END) AS once,
  sum(CASE WHEN left_behind = CASE m.tier
    WHEN 'working' THEN []
    WHEN 'shortTerm' THEN ['archivedWorking']
    ELSE ['archivedWorking', 'archivedShortTerm']
  END THEN 0 ELSE 1 END) AS astray,
  sum(size(left_behind)) AS snapshots
RETURN memories, due, once, astray, snapshots,
  count { MATCH (a:Archived) WHERE a.space = $space } AS archived,
  count { MATCH (a:ConsolidationAttempt)<-[:CONSOLIDATING]-() WHERE a.space = $space } AS claims,
  count { MATCH (a:ConsolidationAttempt) WHERE a.space = $space AND a.ended_at IS NULL } AS unended
