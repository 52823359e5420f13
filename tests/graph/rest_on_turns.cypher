CYPHER 25
// Let a memory rest on turns that were told on some days.
// $space: string, whose
// $id: string, the memory's
// $times: list of datetimes, one for each turn
// $at: datetime, when it was found that the memory rests on them
// Running it twice: as many turns again.
MATCH (m:Memory {id: $id})
WHERE m.space = $space
UNWIND $times AS at
CREATE (t:Turn {space: $space, id: randomUUID(), at: at, speaker: 'Anna', text: m.content, source_tag: 'external_user'})
CREATE (m)-[:DERIVED_FROM {at: $at, citation: m.content}]->(t)
