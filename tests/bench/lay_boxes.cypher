CYPHER 25
// Lay boxes of episodes that followed one another, all of them ended.
// $space: string, whose
// $rows: list of maps {id, memories (list of ids), at (datetime)}
UNWIND $rows AS row
CREATE (b:MemoryBox {
  space: $space, id: row.id, topics: ['laid'], started_at: row.at, ended_at: row.at, size: size(row.memories)
})
WITH b, row
UNWIND row.memories AS id
MATCH (m:Memory {id: id})
SET m.last_accessed_at = row.at
MERGE (m)-[:IN_BOX]->(b)
