CYPHER 25
// What the last cycle of the job safety found in a space, and how far its goals have come.
// $space: string, whose
// returns: one row: cycle (map or null), goals (integer, dropped ones aside), progressed (integer, of those: done, or
//   changed since they were set)
OPTIONAL MATCH (c:SafetyCycle {space: $space})
WITH c LIMIT 1
CALL () {
  MATCH (g:Goal)
  WHERE g.space = $space AND g.state IN ['active', 'done']
  RETURN
    count(g) AS goals,
    count(CASE WHEN g.state = 'done' OR g.changed_at > g.created_at THEN 1 END) AS progressed
}
RETURN c {.*} AS cycle, goals, progressed
