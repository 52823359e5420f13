CYPHER 25
// Note that a dream has weighed a thought that was kept for it. Nobody acted upon it, and it does not come up again.
// $space: string, whose
// $id: string, the thought's
// $now: datetime, when
// returns: weighed (integer)
// Running it twice: the first time stays.
MATCH (h:Thought {id: $id})
WHERE h.space = $space AND h.state = 'offered'
SET
  h.state = 'weighed',
  h.weighed_at = $now
RETURN count(h) AS weighed
