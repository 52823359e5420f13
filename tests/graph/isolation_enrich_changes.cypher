CYPHER 25
// Lay an entry in the log of changes of belief for each kind that can be taken back, about the memories laid before.
// $space: string, whose
// $at: datetime, when all of it came about
UNWIND [
  {kind: 'supersession', touched: [
    {role: 'old', memory: 'older', before: {status: 'active', version: 1}},
    {role: 'new', memory: 'newer', before: {}}
  ]},
  {kind: 'tension', touched: [
    {role: 'one', memory: 'low', before: {}},
    {role: 'other', memory: 'high', before: {}},
    {role: 'tension', memory: 'saying', before: {}}
  ]},
  {kind: 'resolution', touched: [
    {role: 'kept', memory: 'kept', before: {state: 'open'}},
    {role: 'refused', memory: 'refused', before: {state: 'open', status: 'active', version: 1}}
  ]},
  {kind: 'promotion', touched: [
    {role: 'promoted', memory: 'promoted', before: {pattern_stage: 0, weight_alpha: 2.0, granted: 1.5, days: 3}}
  ]},
  {kind: 'withdrawal', touched: [
    {role: 'insight', memory: 'withdrawn', before: {status: 'active', version: 1}}
  ]},
  {kind: 'insight', touched: [
    {role: 'insight', memory: 'insight', before: {}},
    {role: 'source', memory: 'newer', before: {quieted: 0.5}}
  ]},
  {kind: 'rewriting', touched: [
    {role: 'line', memory: 'beside', before: {compressed: 'as it was'}}
  ]}
] AS row
CREATE (c:BeliefChange {
  id: $space + ':' + row.kind + '-change', space: $space, kind: row.kind, by: 'user', reason: 'it was said so', run: $space + ':run',
  at: $at, recorded_at: $at
})
WITH c, row
UNWIND row.touched AS each
MATCH (m:Memory {id: $space + ':' + each.memory})
CREATE (c)-[r:CHANGED {role: each.role}]->(m)
SET r += each.before
