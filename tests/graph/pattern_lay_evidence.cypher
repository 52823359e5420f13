CYPHER 25
// Lay evidence for a memory: a turn that it rests on, or a new memory that is like it, at each of some times.
// $space: string, whose
// $id: string, the memory's
// $turns: list of datetimes, when a turn was said
// $alike: list of datetimes, when a memory that is like it was stored
// $tag: string, whose words these are
MATCH (m:Memory {id: $id})
WHERE m.space = $space
FOREACH (at IN $turns |
  CREATE (m)-[:DERIVED_FROM {at: at, citation: 'tea'}]->(:Turn {
    id: randomUUID(), space: $space, at: at, text: 'tea', speaker: 'Ida', source_tag: $tag
  })
)
FOREACH (at IN $alike |
  CREATE (m)<-[:REINFORCES {at: at, strength: 0.8}]-(:Memory {
    id: replace(randomUUID(), '-', ''), space: $space, source_tag: $tag, status: 'archived'
  })
)
