CYPHER 25
// Lay boxes by hand, as the job makes them: one for each list of memories, a day apart, the first the oldest.
// $space: string, whose
// $episodes: list of maps {id, memories (list of strings, ids), at (datetime, when it began and ended)}
UNWIND $episodes AS row
CREATE (b:MemoryBox {
  id: row.id, space: $space, session: 'a day', topics: ['a day'], started_at: row.at, ended_at: row.at,
  size: size(row.memories)
})
WITH b, row
UNWIND range(0, size(row.memories) - 1) AS place
MATCH (m:Memory {id: row.memories[place]})
WHERE m.space = $space
CREATE (m)-[:IN_BOX {at: row.at, place: place}]->(b)
