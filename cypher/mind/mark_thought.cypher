CYPHER 25
// Note that a thought was thought through.
// $space: string, whose
// $id: string, the thought's
// $now: datetime, when
// returns: marked (integer)
// Running it twice: the first time stays.
MATCH (h:Thought {id: $id})
WHERE h.space = $space
SET
  h.state = 'thought',
  h.acted_at = coalesce(h.acted_at, $now)
RETURN count(h) AS marked
