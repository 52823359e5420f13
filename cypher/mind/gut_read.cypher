CYPHER 25
// What a conversation needs for its gut feeling: the centroid of all memories, and the axes that mean something.
// Axes are found by their ids, which are made of the space and a number.
// $space: string, whose
// $model: string, the embedding model; what was made of another one's vectors is left out
// $most: integer, axes at most
// returns: one row: memories (list of floats, of unit length, or null), axes (list of maps {name, direction (list of
//   floats), middle, spread, correlation (floats)}, the widest first)
CALL () {
  OPTIONAL MATCH (a:AgentManifest {space: $space})
  RETURN CASE WHEN a.subconscious_model = $model THEN a.subconscious_l2 END AS memories
}
CALL () {
  UNWIND range(0, $most - 1) AS number
  MATCH (x:GutAxis {id: $space + ':axis-' + number})
  WHERE x.space = $space AND x.model = $model AND x.name IS NOT NULL AND x.correlation IS NOT NULL
  WITH x ORDER BY x.number
  RETURN collect(x {.name, .direction, .middle, .spread, .correlation}) AS axes
}
RETURN memories, axes
