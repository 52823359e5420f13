CYPHER 25
// Note that something was done about goals, or that the person spoke of them. They were locked in the same transaction.
// $space: string, whose
// $ids: list of strings, ascending
// $property: string, active_at or mentioned_at
// $now: datetime, when
// returns: touched (integer)
// Running it twice: the later time stays.
UNWIND $ids AS id
MATCH (g:Goal {id: id})
WHERE g.space = $space
SET g[$property] = CASE WHEN g[$property] > $now THEN g[$property] ELSE $now END
RETURN count(g) AS touched
