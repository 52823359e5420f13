CYPHER 25
// Note that a change of belief was taken back; the log keeps both.
// $space: string, whose
// $id: string, the change's
// $now: datetime, when
// Running it twice: the first time stays.
MATCH (c:BeliefChange {id: $id})
WHERE c.space = $space
SET c.undone_at = coalesce(c.undone_at, $now)
