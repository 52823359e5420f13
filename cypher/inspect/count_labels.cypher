CYPHER 25
// Count all that a space holds, by label; tombstones are not counted, for they stay. One branch a label, as in
// inspect/find_traces.
// $space: string, whose
// returns: label (string, the first), count (integer); ascending by label
CALL () {
  MATCH (n:Memory) WHERE n.space = $space AND n.id IS NOT NULL RETURN n UNION ALL
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
WITH CASE WHEN n:Memory THEN 'Memory' ELSE labels(n)[0] END AS label, count(*) AS count
RETURN label, count
ORDER BY label
