CYPHER 25
// Lay association edges, or change their weight, as recalls would have left them.
// $space: string, whose
// $pairs: list of lists of two ids
// $weight: float
// $now: datetime, when
UNWIND $pairs AS pair
MATCH (a:Memory {id: CASE WHEN pair[0] < pair[1] THEN pair[0] ELSE pair[1] END})
WHERE a.space = $space
MATCH (b:Memory {id: CASE WHEN pair[0] < pair[1] THEN pair[1] ELSE pair[0] END})
WHERE b.space = $space
MERGE (a)-[c:CO_ACCESSED]->(b)
  ON CREATE SET
    c.count = 1,
    c.first_at = $now
SET
  c.weight = $weight,
  c.last_at = $now,
  c.weight_at = $now
