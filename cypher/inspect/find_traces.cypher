CYPHER 25
// Where in a space some words stand: in whichever property, of nodes and relationships, holds what somebody said or is
// called. What the engine itself writes (a status, a model, who ran a job) is nobody's words and is not looked at. Who asks
// decides what becomes of each; here is one branch a label, so that each begins at an index where there is one.
// $space: string, whose
// $words: list of strings, lower case
// returns: element (string, the node's or relationship's), node (boolean), label (string, the first, or the type), id
//   (string or null), property (string), value (string or list of strings)
WITH {
  Memory: [
    'content', 'contextualized', 'compressed', 'speaker', 'source', 'subject', 'slot', 'value', 'item_namespace',
    'item_key', 'item_value'
  ],
  Turn: ['text', 'caption', 'speaker', 'source'],
  Session: ['id'],
  Entity: ['key', 'name', 'summary'],
  ScratchEntry: ['text', 'speaker', 'session', 'source'],
  Goal: ['text', 'blocked_by'],
  Thought: ['text', 'topic'],
  GutDelta: ['context', 'towards', 'session'],
  GutAxis: ['name'],
  WorkingMemory: ['text'],
  Outcome: ['why'],
  Recall: ['query', 'session'],
  LlmCall: ['raw', 'error', 'session'],
  LoopRun: ['session'],
  JobRun: ['error'],
  BeliefChange: ['reason'],
  SemanticCluster: ['label'],
  MemoryBox: ['topics', 'session'],
  Trace: ['topics'],
  ALIAS_OF: ['reason'],
  CHANGED: ['reason', 'compressed'],
  DERIVED_FROM: ['citation'],
  IN_TENSION_WITH: ['why'],
  SUPERSEDES: ['reason']
} AS worded
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
CALL (n, worded) {
  RETURN elementId(n) AS element, true AS node, CASE WHEN n:Memory THEN 'Memory' ELSE labels(n)[0] END AS label, n.id AS id, properties(n) AS held
  UNION ALL
  MATCH (n)-[r]->()
  WHERE worded[type(r)] IS NOT NULL
  RETURN elementId(r) AS element, false AS node, type(r) AS label, null AS id, properties(r) AS held
}
// All at once: to read properties one by one is to walk over all of them for each.
UNWIND worded[label] AS property
WITH element, node, label, id, property, held[property] AS value
WITH *, CASE
  WHEN value IS :: STRING THEN [value]
  WHEN value IS :: LIST<STRING> THEN value
  ELSE []
END AS texts
WHERE any(text IN texts WHERE any(word IN $words WHERE toLower(text) CONTAINS word))
RETURN element, node, label, id, property, value
