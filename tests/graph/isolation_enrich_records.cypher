CYPHER 25
// Lay what runs, gates and recalls leave behind: the run `<space>:run` with what it pruned and advised, a try that ended,
// a lease, a run of the loop, a decided entry of the scratch buffer, a week of decisions, a recall that was of use and one that was of none.
// $space: string, whose
// $at: datetime, when all of it came about
MATCH (promoted:Memory {id: $space + ':promoted'})
MATCH (low:Memory {id: $space + ':low'}), (middle:Memory {id: $space + ':middle'})
CREATE (run:JobRun {
  id: $space + ':run', space: $space, job: 'coactivate', by: 'somebody', dry_run: false, started_at: $at, ended_at: $at,
  changed: 1, failed: 0, empty: 0
})
CREATE (run)-[:PRUNED]->(:PrunedEdges {
  id: $space + ':run-0', space: $space, from: [low.id], to: [middle.id], weight: [0.01], weight_at: [$at], count: [1],
  confidence: [1.0], first_at: [$at], last_at: [$at]
})
CREATE (:ConsolidationAttempt {
  id: $space + ':tried', space: $space, phase: 'promote', run: run.id, worker: 'one', attempts: 1, started_at: $at,
  ended_at: $at, lease_until: $at
})
CREATE (:ConsolidationAttempt {
  id: $space + ':holding', space: $space, phase: 'holding', run: run.id, worker: 'one',
  lease_until: datetime.realtime() + duration({days: 1})
})
CREATE (:ScratchEntry {
  id: $space + ':decided', space: $space, session: 'a day', text: 'the tea was good in ' + $space, state: 'decided',
  action: 'decay', reason: 'nothing new', novelty: 0.1, heard_at: $at, decided_at: $at, expires_at: $at
})
CREATE (:Recall {id: $space + ':unanswered', space: $space, at: $at, mode: 'search', query: 'who was at ' + $space})
CREATE (judged:Recall {id: $space + ':judged', space: $space, at: $at, mode: 'search', query: 'what is so in ' + $space})
CREATE (judged)-[:RETURNED {
  rank: 1, score: 0.9, useful: true, judged_at: $at, lift: [0.1, 0.2, 0.3, 0.4, 0.5]
}]->(promoted)
CREATE (:LoopRun {id: $space + ':loop', space: $space, started_at: $at, seen_at: $at})
MERGE (blend:RelevanceBlend {space: $space})
CREATE (blend)-[:CHANGED]->(:BlendChange {space: $space, at: $at, useful: true})
MERGE (config:ConsolidationConfig {space: $space})
CREATE (config)-[:ADVISED]->(:GateAdvice {
  space: $space, run: run.id, key: 'gate_persist', week: '2026-22', at: $at, before: 0.5, after: 0.6, direction: 1,
  why: 'too much was kept', gain: 0.1, moved: true, own: false
})
CREATE (config)-[:SHOWN_BY]->(week:GateOutcome {space: $space, week: '2026-22', kept: 3})
WITH week
MATCH (t:Turn {space: $space})
WITH week, t ORDER BY t.id LIMIT 4
CREATE (week)-[:AWAITS {cause: 'decayed', at: $at, due_at: $at}]->(t)
