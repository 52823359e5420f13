CYPHER 25
// Lay what a mind between conversations leaves behind: a goal in each state, a box with an episode, a connection of the two,
// a thought, a feeling with its axis and outcome, and two versions of the working memory of which one was refused.
// $space: string, whose
// $at: datetime, when all of it came about
MATCH (m:Memory {id: $space + ':newer'})
MATCH (t:Turn {space: $space})
WITH m, t ORDER BY t.id LIMIT 1
MERGE (e:Entity {space: $space, key: 'noor'})
  ON CREATE SET e.name = 'Noor', e.kind = 'person'
WITH m, t, e
CALL (m, e) {
  UNWIND ['active', 'incubating', 'blocked', 'proposed', 'done'] AS state
  CREATE (g:Goal {
    id: $space + ':goal-' + state, space: $space, text: 'paint the boat of Noor, ' + state, state: state, weight: 1.0,
    created_at: $at, changed_at: $at, active_at: $at, mentioned_at: $at, tractability: 0.5, priority: 0.5, ranked_at: $at,
    sessions_without: 3, incubating_since: $at - duration('P1D'), incubated: 5
  })
  SET g.embedding = m.embedding
  CREATE (g)-[:ABOUT {at: $at}]->(e)
}
MATCH (g:Goal {id: $space + ':goal-active'})
CREATE (b:MemoryBox {
  id: $space + ':box', space: $space, topics: ['boat'], session: 'a day', started_at: $at, ended_at: $at, size: 1
})
CREATE (m)-[:IN_BOX {place: 0}]->(b)
CREATE (k:Connection {
  id: $space + ':connection', space: $space, strength: 0.8, hops: 1, memory: m.id, first_at: $at, at: $at
})
CREATE (k)-[:CONNECTS]->(g)
CREATE (k)-[:CONNECTS]->(b)
CREATE (l:Connection {
  id: $space + ':connection-resting', space: $space, strength: 0.7, hops: 0, memory: m.id, first_at: $at, at: $at
})
WITH m, t, g, b, l
MATCH (resting:Goal {id: $space + ':goal-incubating'})
CREATE (l)-[:CONNECTS]->(resting)
CREATE (l)-[:CONNECTS]->(b)
CREATE (h:Thought {
  id: $space + ':thought', space: $space, at: $at, text: 'the boat and Noor', leaning: 'neglected', channel: 'goal',
  topic: 'boat'
})
CREATE (h)-[:SURFACED]->(m)
CREATE (h)-[:ABOUT]->(g)
CREATE (d:GutDelta {
  id: $space + ':feeling', space: $space, at: $at, vector: [0.1, 0.2], magnitude: 0.4, context: 'the boat',
  towards: 'paint', session: 'a day', model: 'a model', reaction: 'thanked'
})
CREATE (d)-[:FELT_AT]->(t)
CREATE (o:Outcome {id: $space + ':outcome', space: $space, at: $at, good: 1.0, kind: 'verdict', why: 'of use'})
CREATE (d)-[:LED_TO]->(o)
CREATE (:GutAxis {
  id: $space + ':axis-0', space: $space, number: 0, direction: [0.6, 0.8], share: 0.5, correlation: 0.3, name: 'boat',
  at: $at, model: 'a model', middle: 0.0, spread: 1.0
})
CREATE (:LlmCall {
  id: $space + ':deliberated', space: $space, at: $at, purpose: 'deliberate', model: 'a model', session: 'a day',
  outcome: 'ok', background: false, tries: 1, input_tokens: 1, output_tokens: 1, latency_ms: 1
})
CREATE (:BeliefChange {
  id: $space + ':judged-change', space: $space, kind: 'promotion', by: 'user', reason: 'evidence of 5 days', at: $at,
  recorded_at: $at, outcome_at: $at, outcome_useful: 3, outcome_useless: 1
})
CREATE (first:WorkingMemory {
  id: $space + ':first', space: $space, version: 1, at: $at, state: 'taken', text: 'Noor paints the boat',
  seed: 'seed of a text'
})
CREATE (second:WorkingMemory {
  id: $space + ':second', space: $space, version: 2, at: $at, state: 'refused', text: 'nothing', reason: 'a mass drop'
})
CREATE (first)-[:NEXT]->(second)
CREATE (first)-[:CITES {line: 0}]->(m)
WITH m, g, h, t
MATCH (done:Goal {id: $space + ':goal-done'})
MATCH (promoted:Memory {id: $space + ':promoted'})
MATCH (insight:Memory {id: $space + ':insight'})
CREATE (acted:Thought {
  id: $space + ':acted', space: $space, at: $at, text: 'Noor and a boat', leaning: 'discovery', channel: 'goal',
  state: 'thought', acted_at: $at
})
CREATE (joined:Thought {
  id: $space + ':joined', space: $space, at: $at, text: 'a boat is a house', leaning: 'discovery', channel: 'insight',
  state: 'thought', acted_at: $at
})
CREATE (unweighed:Thought {
  id: $space + ':unweighed', space: $space, at: $at, text: 'a boat is a home', leaning: 'distant', channel: 'insight',
  state: 'offered'
})
CREATE (over:Connection {
  id: $space + ':connection-over', space: $space, strength: 0.6, hops: 0, memory: m.id, first_at: $at, at: $at
})-[:CONNECTS]->(done)
CREATE (acted)-[:ABOUT]->(g)
CREATE (acted)-[:ABOUT]->(done)
CREATE (joined)-[:SURFACED]->(m)
CREATE (joined)-[:SURFACED]->(promoted)
CREATE (:BeliefChange {
  id: $space + ':identity-change', space: $space, kind: 'promotion', by: 'user', reason: 'evidence of 10 days', at: $at,
  recorded_at: $at
})-[:CHANGED {role: 'promoted', pattern_stage: 1, weight_alpha: 4.0, granted: 5.0, days: 10}]->(promoted)
// Without a kind nobody makes the vector that it lacks.
CREATE (:Memory:Narrative {
  id: $space + ':told', space: $space, content: 'how it came about', status: 'archived', created_at: $at,
  embed_due: true
})-[:DERIVED_FROM {at: $at, citation: 'as it was'}]->(insight)
MERGE (a:AgentManifest {space: $space})
SET a.idle_day = $at, a.idle_calls = 1, a.idle_tokens = 100
