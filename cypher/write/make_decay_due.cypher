CYPHER 25
// Let the job decay look at every memory of an older schema, which did not note when it is due.
// It commits in portions, so it must be alone in its transaction.
// $now: datetime, when
// Running it twice: those that were looked at meanwhile are looked at again, to no effect.
MATCH (m:Memory)
WHERE m.decay_due_at IS NULL
CALL (m) {
  SET m.decay_due_at = $now
} IN TRANSACTIONS OF 2000 ROWS
