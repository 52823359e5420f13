CYPHER 25
// Lay promotions and escalations that came to something, and some of which nothing is known.
// $space: string, whose
// $promoted: string, id of the memory that they are about
// $at: datetime, when
MATCH (m:Memory {id: $promoted, space: $space})
CALL (m) {
  UNWIND [
    {id: 'taken-back', undone_at: $at},
    {id: 'judged', outcome_useful: 3, outcome_useless: 1},
    {id: 'unknown', outcome_useful: 0, outcome_useless: 0},
    {id: 'young'}
  ] AS row
  CREATE (c:BeliefChange {space: $space, kind: 'promotion', by: 'job:patterns', reason: 'evidence of 5 days', at: $at})
  SET
    c += row,
    c.id = $space + ':' + row.id
  CREATE (c)-[:CHANGED {role: 'promoted'}]->(m)
}
CALL (m) {
  UNWIND [{session: 'judged', useful: false}, {session: 'silent', useful: null}, {session: 'earlier', useful: false}] AS row
  CREATE (r:Recall {id: $space + ':' + row.session, space: $space, at: $at - duration('PT1M'), session: row.session})
  CREATE (r)-[:RETURNED {useful: row.useful}]->(m)
  CREATE (:LlmCall {
    id: $space + ':call-' + row.session, space: $space, at: $at, purpose: 'deliberate', model: 'a model',
    session: row.session
  })
}
// What was asked after that recall and that feeling: it brought nothing to mind, and a model was asked.
CREATE (:GutDelta {
  id: $space + ':felt-earlier', space: $space, at: $at - duration('PT1M'), session: 'earlier', vector: [0.1],
  magnitude: 0.1, model: 'a model', reaction: 'thanked'
})
CREATE (:Session {space: $space, id: 'earlier'})<-[:PART_OF]-(:Turn {
  id: $space + ':asked', space: $space, at: $at - duration('PT30S'), text: 'And why?', speaker: 'user',
  source_tag: 'external_user'
})
