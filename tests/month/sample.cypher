CYPHER 25
// What is measured of a space at the end of a day.
// $space: string, whose
// $now: datetime, the end of the day
CALL () {
  MATCH (m:Memory {space: $space})
  WHERE m.status IN ['active', 'dormant']
  RETURN
    count(m) AS memories,
    max(m.energy) AS energy,
    max(m.weight_alpha / (m.weight_alpha + m.weight_beta)) AS weight,
    collect({tier: m.tier, energy: m.energy}) AS energies,
    collect({id: m.id, weight: m.weight_alpha / (m.weight_alpha + m.weight_beta)}) AS weights
}
CALL () {
  MATCH (s:SafetyEvent {space: $space})
  WHERE s.at <= $now
  RETURN collect(s {.at, .ceiling, .phase, .enforced, .subject, .before, .after}) AS events
}
CALL () {
  MATCH (m:Memory {space: $space})-[c:CO_ACCESSED]->(:Memory)
  RETURN max(c.weight) AS edge, count(c) AS edges
}
CALL () {
  MATCH (g:Goal {space: $space})
  RETURN collect({
    text: g.text, state: g.state, priority: g.priority, active_at: g.active_at, mentioned_at: g.mentioned_at,
    tractability: g.tractability, ranked_at: g.ranked_at, changed_at: g.changed_at,
    about: COLLECT { MATCH (g)-[:ABOUT]->(e:Entity) RETURN e.key }
  }) AS goals
}
CALL () {
  MATCH (d:GutDelta {space: $space})
  RETURN count(d) AS feelings, max(d.magnitude) AS magnitude, avg(CASE WHEN d.at > $now - duration('P3D') THEN d.magnitude END) AS lately
}
CALL () {
  MATCH (t:Thought {space: $space})
  WITH t ORDER BY t.at
  RETURN collect({at: t.at, topic: t.topic, channel: t.channel, leaning: t.leaning}) AS thoughts
}
CALL () {
  MATCH (c:LlmCall {space: $space})
  RETURN
    collect({at: c.at, purpose: c.purpose, cost: coalesce(c.cost_usd, 0.0), tokens: c.input_tokens + c.output_tokens})
      AS calls
}
CALL () {
  MATCH (w:WorkingMemory {space: $space})
  WITH w ORDER BY w.version
  RETURN collect({
    version: w.version, state: w.state, text: w.text, reason: w.reason,
    cites: COLLECT { MATCH (w)-[c:CITES]->(m:Memory) RETURN {memory: m.id, key: c.key, status: m.status} }
  }) AS versions
}
RETURN memories, energy, weight, energies, weights, events, edge, edges, goals, feelings, magnitude, lately, thoughts, calls, versions
