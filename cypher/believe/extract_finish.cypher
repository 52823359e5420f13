CYPHER 25
// Note that facts were drawn from turns: they are not due any more.
// $space: string, whose
// $ids: list of strings, ascending
// $by: string, `model` or `plain`
// $now: datetime, when
// returns: one row: finished (integer)
// Running it twice: no change but of the time.
UNWIND $ids AS id
MATCH (t:Turn {space: $space, id: id})
SET
  t.extracted_at = $now,
  t.extracted_by = $by
REMOVE t.extract_due_at, t.extract_lease_until
RETURN count(t) AS finished
