CYPHER 25
// Note that facts were drawn from turns: they are not due any more. Those of which a fact could not be kept are due again
// when the lease is over, a few times.
// $space: string, whose
// $ids: list of strings, ascending
// $again: list of strings, those of them that are tried again
// $tries: integer, how often at most
// $by: string, `model` or `plain`
// $now: datetime, when
// returns: one row: finished (integer)
// Running it twice: no change but of the time.
UNWIND $ids AS id
MATCH (t:Turn {space: $space, id: id})
WHERE NOT id IN $again OR t.extract_tries >= $tries
SET
  t.extracted_at = $now,
  t.extracted_by = $by
REMOVE t.extract_due_at, t.extract_lease_until, t.extract_tries
RETURN count(t) AS finished
