CYPHER 25
// A node that is not Engram's, linked with a memory.
// $space: string, whose
MATCH (m:Memory)
WHERE m.space = $space
CREATE (m)-[:KNOWS]->(:Stranger {space: $space, name: 'Bo'})
