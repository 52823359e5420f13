CYPHER 25
// Withdraw an insight: it is archived as a person would archive it, so that no cue and no job brings it back.
// It was locked in the same transaction.
// $space: string, whose
// $id: string, the insight's
// $reason: string, why
// $now: datetime, when
// returns: id (string); no row where it is not active
// Running it twice: the second run finds it archived and changes nothing.
MATCH (m:Memory {id: $id})
WHERE m.space = $space AND m.status = 'active'
SET
  m.status = 'archived',
  m.withdrawn_at = $now,
  m.withdrawn_because = $reason,
  m.version = m.version + 1
RETURN m.id AS id
