CYPHER 25
// Resolve a tension that is open or acknowledged; the memory that says it is put away.
// All three were locked in the same transaction.
// $space: string, whose
// $low: string, id of one of the two
// $high: string, id of the other, the higher one
// $said: string or null, id of the memory that says so
// $kept: string or null, id of the one that holds, 'both' or 'neither'; null where nothing was decided
// $how: string, what settled it, quoting nothing
// $now: datetime, when
// returns: state (string, what it was), said (map {id, status} or null: that memory as it was); no row where it is not
//   there or resolved already
// Running it twice: the first time stays.
MATCH (low:Memory {id: $low})-[t:IN_TENSION_WITH]->(high:Memory {id: $high})
WHERE low.space = $space AND high.space = $space AND t.state IN ['open', 'acknowledged']
OPTIONAL MATCH (said:Tension {id: $said})
WHERE said.space = $space AND said.status IN ['active', 'dormant']
WITH t, said, t.state AS state, said {.id, .status} AS before
SET
  t.state = 'resolved',
  t.kept = $kept,
  t.how = $how,
  t.resolved_at = $now
SET
  said.status = 'archived',
  said.version = said.version + 1
RETURN state, before AS said
