CYPHER 25
// Write a person's word on what was asked for a memory.
// The memory was locked in the same transaction.
// $space: string, whose
// $memory: string, the memory's id
// $stage: integer, what it was to be promoted to
// $from: list of strings, the states that are answered
// $to: string, approved or refused
// $by: string, whose word
// $now: datetime, when
// returns: decided (integer)
// Running it twice: the second run finds none of these states and changes nothing.
MATCH (a:Approval)-[:ASKS_FOR]->(m:Memory {id: $memory})
WHERE m.space = $space AND a.space = $space AND a.stage = $stage AND a.state IN $from
SET
  a.state = $to,
  a.by = $by,
  a.decided_at = $now
RETURN count(a) AS decided
