CYPHER 25
// Lay associations of a given weight.
// $space: string, whose
// $rows: list of maps {from, to, weight, at}: ids of two memories, the lower first, the weight and its time
// Running it twice: the same edges.
UNWIND $rows AS row
MATCH (a:Memory {id: row.from})
WHERE a.space = $space
MATCH (b:Memory {id: row.to})
WHERE b.space = $space
MERGE (a)-[c:CO_ACCESSED]->(b)
SET
  c.weight = row.weight,
  c.weight_at = row.at,
  c.count = 1,
  c.first_at = row.at,
  c.last_at = row.at
