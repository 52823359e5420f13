CYPHER 25
// Where in a space some words stand: in whichever property of whichever node or relationship. Who asks decides what
// becomes of each; here is one branch a label, so that each begins at an index where there is one.
// $space: string, whose
// $words: list of strings, lower case
// returns: element (string, the node's or relationship's), node (boolean), label (string, the first, or the type), id
//   (string or null), property (string), value (string or list of strings)
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
CALL (n) {
  RETURN elementId(n) AS element, true AS node, CASE WHEN n:Memory THEN 'Memory' ELSE labels(n)[0] END AS label, n.id AS id, properties(n) AS held
  UNION ALL
  MATCH (n)-[r]->()
  RETURN elementId(r) AS element, false AS node, type(r) AS label, null AS id, properties(r) AS held
}
// All at once: to read properties one by one is to walk over all of them for each.
UNWIND keys(held) AS property
WITH element, node, label, id, property, held[property] AS value
WITH *, CASE
  WHEN value IS :: STRING THEN [value]
  WHEN value IS :: LIST<STRING> THEN value
  ELSE []
END AS texts
WHERE any(text IN texts WHERE any(word IN $words WHERE toLower(text) CONTAINS word))
RETURN element, node, label, id, property, value
