CYPHER 25
// What a space has learned about weighing relevance, and how it came to that.
// $space: string, whose
// returns: experience (float), offsets (list of 5 floats), changes (list of maps {at, component, amount, useful,
//   recall}, newest first, 100 at most); no row where nothing was learned
MATCH (b:RelevanceBlend {space: $space})
CALL (b) {
  MATCH (b)-[:CHANGED]->(c:BlendChange)
  WITH c ORDER BY c.at DESC LIMIT 100
  RETURN collect(c {.at, .component, .amount, .useful, .recall}) AS changes
}
RETURN b.experience AS experience, b.offsets AS offsets, changes
