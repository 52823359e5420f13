CYPHER 25
// Write the default numbers where none stand, so that they can be seen and changed in the graph.
// $space: string, the space of the defaults
// $numbers: map, property to value
// Running it twice: what stands there stays.
MERGE (c:ConsolidationConfig {space: $space})
WITH c, properties(c) AS kept
SET c += $numbers
SET c += kept
