CYPHER 25
// Lay co-access edges as a long life of recalls would have left them.
// $rows: list of maps {low, high, weight}: the ids of two memories, the lower first, and the edge's weight
// $now: datetime, when
UNWIND $rows AS row
MATCH (a:Memory {id: row.low})
MATCH (b:Memory {id: row.high})
MERGE (a)-[c:CO_ACCESSED]->(b)
  ON CREATE SET
    c.weight = row.weight,
    c.count = toInteger(row.weight),
    c.first_at = $now,
    c.last_at = $now
