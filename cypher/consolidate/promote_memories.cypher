CYPHER 25
// Promote memories by the steps that are due: from working to shortTerm, on to longTerm, or both at once.
// The memory stays what it is, with its id, links, energy and history. What it was is left behind as a snapshot for
// each step, and the snapshots lead to it: (:Archived)-[:PROMOTED_TO]->(:Archived)-[:CRYSTALLIZED_INTO]->(:Memory).
// The write that crossed a bar noted when and with what energy, and energy has faded at the new tier's rate since
// then (due_tier), so that it does not matter when this runs.
// $space: string, whose
// $ids: list of strings, ascending
// $run: string, id of the run
// $now: datetime, due by then
// returns: one row: changed (integer, memories promoted), examples (list of maps {id, from, to, energy}, five at most)
// Running it twice: no change; whether the promotion is still due is read under the lock, and a snapshot's id, unique,
// is the memory's and the tier that it left.
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space
SET m._lock = true
REMOVE m._lock
WITH collect(m) AS locked
UNWIND locked AS m
WITH m
WHERE m.promote_due_at <= $now
WITH m, m.tier AS was,
  // A memory of an older schema noted only that it was due.
  coalesce(m.due_tier, CASE m.tier WHEN 'working' THEN 'shortTerm' ELSE 'longTerm' END) AS tier,
  coalesce(m.promote_times, [m.promote_due_at]) AS times,
  coalesce(m.promote_energies, [m.energy]) AS energies
CALL (m, was, tier, times, energies) {
  WHEN was = 'working' AND tier = 'longTerm' THEN {
    CREATE (a:Archived {id: m.id + '-working', tier: 'archivedWorking', at: times[0], energy: energies[0], last: false})
      -[:PROMOTED_TO {at: times[0], energy: energies[0]}]->
      (b:Archived {id: m.id + '-shortTerm', tier: 'archivedShortTerm', at: times[1], energy: energies[1], last: true})
      -[:CRYSTALLIZED_INTO {at: times[1], energy: energies[1]}]->(m)
    RETURN [a, b] AS left_behind
  }
  WHEN was = 'working' THEN {
    CREATE (a:Archived {id: m.id + '-working', tier: 'archivedWorking', at: times[0], energy: energies[0], last: true})
      -[:PROMOTED_TO {at: times[0], energy: energies[0]}]->(m)
    RETURN [a] AS left_behind
  }
  ELSE {
    CREATE (b:Archived {id: m.id + '-shortTerm', tier: 'archivedShortTerm', at: times[0], energy: energies[0], last: true})
      -[:CRYSTALLIZED_INTO {at: times[0], energy: energies[0]}]->(m)
    WITH m, b
    OPTIONAL MATCH (a:Archived)-[p:PROMOTED_TO]->(m)
    CALL (a, b, p) {
      WITH a, b, p
      WHERE p IS NOT NULL
      CREATE (a)-[q:PROMOTED_TO]->(b)
      SET q = properties(p)
      DELETE p
    }
    RETURN [b] AS left_behind
  }
}
FOREACH (a IN left_behind |
  SET
    a += m {
      .space, .weight_alpha, .weight_beta, .truth_alpha, .truth_beta, .importance, .access_count, .created_at,
      .last_accessed_at, .due_tier, .promote_due_at, .promote_times, .promote_energies
    },
    a.memory = m.id,
    a.run = $run,
    a.reinforced_count = coalesce(m.reinforced_count, 0),
    a.version = m.version + 1
)
SET
  m.tier = tier,
  m.due_tier = null,
  m.promote_due_at = null,
  m.promote_times = null,
  m.promote_energies = null,
  m.version = m.version + 1
RETURN
  count(m) AS changed,
  collect({id: m.id, from: was, to: tier, energy: energies[-1]})[..5] AS examples
