CYPHER 25
// Lay sessions that have ended and whose memories are not paired yet.
// $space: string, whose
// $rows: list of maps {id, memories (list of ids, used in it)}
// $at: datetime, when they ended
UNWIND $rows AS row
CREATE (s:Session {space: $space, id: row.id, created_at: $at, closed_at: $at, coactivate_due_at: $at})
WITH s, row
UNWIND row.memories AS id
MATCH (m:Memory {id: id})
CREATE (m)-[:ACCESSED_IN {first_at: $at, at: $at, count: 1, activation: 0.0}]->(s)
