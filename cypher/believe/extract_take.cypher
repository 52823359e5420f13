CYPHER 25
// Take turns for drawing facts from them, which leaves the transaction: until the lease is over nobody else gets them. If
// the worker dies, they are due again then.
// Leases run by the server's clock, which all workers share, read when the locks are held; that turns are due is looked at
// under the locks too.
// $space: string, whose
// $ids: list of strings, ascending
// $lease_seconds: integer
// $context: integer, how many turns before the first of each session are told
// returns: session (string), turns and before (lists of maps {id, text, speaker, at, source_tag, caption}, in order of
//   time); a row for each session
// Running it twice: the second run takes nothing, the turns are taken.
UNWIND $ids AS id
MATCH (t:Turn {space: $space, id: id})
SET t._lock = true
REMOVE t._lock
WITH collect(t) AS locked
WITH locked, datetime.realtime() AS at
UNWIND locked AS t
WITH t, at
WHERE t.extract_due_at IS NOT NULL AND coalesce(t.extract_lease_until <= at, true)
SET
  t.extract_lease_until = at + duration({seconds: $lease_seconds}),
  t.extract_tries = coalesce(t.extract_tries, 0) + 1
WITH t
MATCH (t)-[:PART_OF]->(s:Session {space: $space})
WITH s, t ORDER BY t.at, t.created_at, t.id
WITH s, collect(t) AS taken
CALL (s, taken) {
  MATCH (s)<-[:PART_OF]-(p:Turn)
  WHERE p.space = $space AND p.at <= taken[0].at AND NOT p IN taken
  WITH p ORDER BY p.at DESC, p.created_at DESC, p.id DESC LIMIT $context
  WITH p ORDER BY p.at, p.created_at, p.id
  RETURN collect(p {.id, .text, .speaker, .at, .source_tag, .caption}) AS before
}
RETURN
  s.id AS session,
  [t IN taken | t {.id, .text, .speaker, .at, .source_tag, .caption}] AS turns,
  before
ORDER BY session
