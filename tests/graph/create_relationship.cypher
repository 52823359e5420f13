CYPHER 25
// Create a relationship by hand, also to a node of another space.
// $space: string, whose
// $start: string, id of the node that it leads from
// $type: string
// $end: string, id of the node that it leads to
// $properties: map
MATCH (a:Memory|Archived|ConsolidationAttempt|SemanticCluster|Connection|Goal|MemoryBox {id: $start})
WHERE a.space = $space
MATCH (b:Memory|Archived|ConsolidationAttempt|SemanticCluster|Connection|Goal|MemoryBox {id: $end})
CREATE (a)-[r:$($type)]->(b)
SET r = $properties
