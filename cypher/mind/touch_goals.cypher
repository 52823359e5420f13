CYPHER 25
// Note that the person spoke of goals. They were locked in the same transaction.
// $space: string, whose
// $ids: list of strings, ascending
// $now: datetime, when
// returns: touched (integer)
// Running it twice: the later time stays.
UNWIND $ids AS id
MATCH (g:Goal {id: id})
WHERE g.space = $space
SET g.mentioned_at = CASE WHEN g.mentioned_at > $now THEN g.mentioned_at ELSE $now END
RETURN count(g) AS touched
