CYPHER 25
// Some of what is left of a space whose memories were erased by write/erase_space: everything but tombstones, with the texts
// that may have been embedded. One branch a label, as in inspect/find_traces.
// $space: string, whose
// $batch_size: integer, nodes at most
// returns: one row: elements (list of strings, the nodes'), texts (list of strings)
CALL () {
  MATCH (n:Turn) WHERE n.space = $space AND n.id IS NOT NULL RETURN n UNION ALL
  MATCH (n:Session) WHERE n.space = $space AND n.id IS NOT NULL RETURN n UNION ALL
  MATCH (n:Entity) WHERE n.space = $space AND n.key IS NOT NULL RETURN n UNION ALL
  MATCH (n:ScratchEntry) WHERE n.space = $space AND n.state IS NOT NULL RETURN n UNION ALL
  MATCH (n:Recall) WHERE n.space = $space AND n.at IS NOT NULL RETURN n UNION ALL
  MATCH (n:LlmCall) WHERE n.space = $space AND n.at IS NOT NULL RETURN n UNION ALL
  MATCH (n:BeliefChange) WHERE n.space = $space AND n.at IS NOT NULL RETURN n UNION ALL
  MATCH (n:SafetyEvent) WHERE n.space = $space AND n.at IS NOT NULL RETURN n UNION ALL
  MATCH (n:Thought) WHERE n.space = $space AND n.at IS NOT NULL RETURN n UNION ALL
  MATCH (n:GutDelta) WHERE n.space = $space AND n.at IS NOT NULL RETURN n UNION ALL
  MATCH (n:Outcome) WHERE n.space = $space AND n.at IS NOT NULL RETURN n UNION ALL
  MATCH (n:WorkingMemory) WHERE n.space = $space AND n.version IS NOT NULL RETURN n UNION ALL
  MATCH (n:Connection) WHERE n.space = $space AND n.first_at IS NOT NULL RETURN n UNION ALL
  MATCH (n:GutAxis) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:Archived) WHERE n.space = $space AND n.id IS NOT NULL RETURN n UNION ALL
  MATCH (n:ConsolidationAttempt) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:SemanticCluster) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:MemoryBox) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:Trace) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:Goal) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:Approval) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:LoopRun) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:JobRun) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:Dream) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:SafetyCycle) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:AgentManifest) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:CompressionGuideline) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:ConsolidationConfig) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:ConfigChange) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:RelevanceBlend) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:BlendChange) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:GateAdvice) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:GateOutcome) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:PrunedEdges) WHERE n.space = $space RETURN n UNION ALL
  MATCH (n:RecordCounter) WHERE n.space = $space RETURN n
}
WITH n LIMIT $batch_size
WITH elementId(n) AS element, [text IN [n.text, n.query] WHERE text IS :: STRING NOT NULL] AS held
RETURN collect(element) AS elements, reduce(texts = [], each IN collect(held) | texts + each) AS texts
