CYPHER 25
// Let a memory rest on raw turns, as a fact does that was drawn from them.
// $space: string, whose
// $id: string, the memory's
// $text: string, the turns'
// $citation: string, the words of it that it rests on
MATCH (m:Memory {id: $id})
MATCH (t:Turn {space: $space, text: $text})
CREATE (m)-[:DERIVED_FROM {at: t.at, citation: $citation}]->(t)
