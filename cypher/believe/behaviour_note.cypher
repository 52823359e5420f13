CYPHER 25
// Note until when the deeds that a value was held against were stored.
// It was locked in the same transaction.
// $space: string, whose
// $id: string, the value's memory
// $now: datetime, when it was looked at
// Running it twice: no change.
MATCH (m:Memory {id: $id})
WHERE m.space = $space
SET m.behaviour_at = $now
