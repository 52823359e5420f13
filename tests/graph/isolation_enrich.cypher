CYPHER 25
// Let everything in a space be due, and something of every sort be there, so that statements have something to do.
// $space: string, whose
// $at: datetime, long ago
CALL () {
  MATCH (m:Memory {space: $space})
  SET
    m.promote_due_at = $at, m.reinforce_due_at = $at, m.expires_at = $at, m.due_tier = 'shortTerm', m.embed_due = true,
    m.promote_times = [$at], m.promote_energies = [3.0], m.item_namespace = 'kept.here', m.item_key = m.id,
    m.item_value = '{}', m.item_since = $at, m.slot = 'home', m.subject = 'noor', m.value = 'Utrecht', m.category = 'fact',
    m.compressed = 'in short', m.dreamed = 'insight', m.archived_run = 'a run', m.pattern_stage = 1, m.pattern_due = 1.0,
    m.weight_alpha = 9.0, m.resolved_at = null, m.speaker = 'Noor'
  WITH m ORDER BY m.id
  WITH collect(m) AS some
  UNWIND range(0, size(some) - 2) AS place
  WITH some[place] AS low, some[place + 1] AS high
  MERGE (low)-[t:IN_TENSION_WITH {space: $space}]->(high)
  SET t.state = 'open', t.at = $at, t.why = 'they disagree', t.surfaced = 0
  MERGE (low)-[c:CO_ACCESSED]->(high)
  SET c += {weight: 1.0, weight_at: $at, count: 2, first_at: $at, last_at: $at}
}
CALL () {
  MATCH (n:Turn {space: $space})
  SET n.extract_due_at = $at
}
CALL () {
  MATCH (n:Session {space: $space})
  SET n.closes_at = $at, n.coactivate_due_at = $at
}
CALL () {
  MATCH (n:ScratchEntry {space: $space})
  SET n.state = 'buffered', n.awaits = true, n.expires_at = $at
}
CALL () {
  MATCH (n:Goal {space: $space})
  SET n.state = 'active', n.weight = 1.0, n.text = coalesce(n.text, 'be kind')
}
CALL () {
  MATCH (n:Approval {space: $space}), (m:Memory {space: $space})
  SET n.state = 'pending', n.stage = 50, n.memory = m.id
  MERGE (n)-[:ASKS_FOR]->(m)
}
CALL () {
  MATCH (n:JobRun {space: $space})
  SET n.job = coalesce(n.job, 'extract'), n.started_at = $at
}
CALL () {
  MATCH (n:LlmCall {space: $space})
  SET n.purpose = coalesce(n.purpose, 'gate'), n.model = coalesce(n.model, 'one'), n.at = $at, n.cost_usd = 0.5
}
MERGE (x:Tombstone {space: $space, content_hash: 'hash of what was erased'})
