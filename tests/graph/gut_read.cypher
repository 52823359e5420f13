CYPHER 25
// What a space has felt, with what that led to, and what feelings are measured from.
// $space: string, whose
CALL () {
  MATCH (d:GutDelta {space: $space})
  OPTIONAL MATCH (d)-[:FELT_AT]->(t:Turn)
  OPTIONAL MATCH (d)-[:LED_TO]->(o:Outcome)
  WITH d, t, o ORDER BY d.at, t.text
  RETURN collect(d {.*, said: t.text, good: o.good, why: o.why}) AS feelings
}
CALL () {
  MATCH (x:GutAxis {space: $space})
  WITH x ORDER BY x.number
  RETURN collect(x {.*}) AS axes
}
OPTIONAL MATCH (a:AgentManifest {space: $space})
RETURN feelings, axes, a {.*} AS manifest
