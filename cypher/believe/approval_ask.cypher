CYPHER 25
// Ask for a person's word on the promotion of a memory.
// The memory was locked in the same transaction, and is not asked for already.
// $space: string, whose
// $id: string, the approval's, new
// $memory: string, id of the memory
// $stage: integer, what it is to be promoted to
// $center: float, what its weight's centre would be
// $days: integer, on how many days there was evidence for it
// $span_days: integer, days between the first and the last of them
// $now: datetime, when
// returns: id (string)
// Running it twice: no change.
MATCH (m:Memory {id: $memory})
WHERE m.space = $space
MERGE (a:Approval {id: $id})
  ON CREATE SET
    a.space = $space,
    a.state = 'pending',
    a.memory = $memory,
    a.stage = $stage,
    a.center = $center,
    a.days = $days,
    a.span_days = $span_days,
    a.asked_at = $now
WITH a, m
WHERE a.space = $space
MERGE (a)-[:ASKS_FOR]->(m)
RETURN a.id AS id
