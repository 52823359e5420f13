CYPHER 25
// How many turns no facts were drawn from yet, those that are being worked on among them.
// $space: string, whose
// $now: datetime, in the space's time
// returns: one row: due (integer)
MATCH (t:Turn)
WHERE t.space = $space AND t.extract_due_at <= $now
RETURN count(t) AS due
