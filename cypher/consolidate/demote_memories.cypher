CYPHER 25
// Take back what a run promoted, where nothing has happened to the memory since: it is due again, in the tier that it
// was in, and its snapshots of that run are gone. Energy is as it was: it fades at the rate of the tier that is due.
// $space: string, whose
// $ids: list of strings, ascending
// $run: string, id of the run
// returns: one row: changed (integer, memories), kept (list of ids that have been used, promoted or changed since)
// Running it twice: no change; the snapshots are gone.
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space
SET m._lock = true
REMOVE m._lock
WITH collect(m) AS locked
UNWIND locked AS m
OPTIONAL MATCH (last:Archived {run: $run, last: true})-[:PROMOTED_TO|CRYSTALLIZED_INTO]->(m)
// There is none where another run has promoted it on.
WITH m, last,
  coalesce(
    m.version = last.version
      AND m.access_count = last.access_count
      AND coalesce(m.reinforced_count, 0) = last.reinforced_count
      AND m.promote_due_at IS NULL,
    false
  ) AS untouched
CALL (m, last, untouched) {
  WITH m, last
  WHERE untouched
  OPTIONAL MATCH (first:Archived)-[p:PROMOTED_TO]->(last)
  WITH m, last, first, p, coalesce(first.run = $run, false) AS both
  CALL (m, first, p, both) {
    // The earlier promotion was another run's: it leads to the memory again.
    WITH m, first, p
    WHERE first IS NOT NULL AND NOT both
    CREATE (first)-[q:PROMOTED_TO]->(m)
    SET q = properties(p)
  }
  SET
    m.tier = CASE WHEN both OR last.tier = 'archivedWorking' THEN 'working' ELSE 'shortTerm' END,
    m.due_tier = last.due_tier,
    m.promote_due_at = last.promote_due_at,
    m.promote_times = last.promote_times,
    m.promote_energies = last.promote_energies,
    m.version = m.version + 1
  DETACH DELETE last
  FOREACH (a IN CASE WHEN both THEN [first] ELSE [] END | DETACH DELETE a)
}
RETURN
  sum(CASE WHEN untouched THEN 1 ELSE 0 END) AS changed,
  collect(CASE WHEN NOT untouched THEN m.id END) AS kept
