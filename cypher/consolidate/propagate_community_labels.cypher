CYPHER 25
// One batch of a round of label propagation: each memory takes the label to which its marked edges pull it most, the
// smallest of several, and keeps its own unless another pulls strictly more.
// The subquery runs once for each memory, in order, and sees what it did to those before. So labels move one at a time,
// each move raises the weight that lies within communities, and two neighbours cannot swap labels for ever.
// Source: Raghavan, Albert, Kumara 2007, "Near linear time algorithm to detect community structures in large-scale
// networks", asynchronous, with weights.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// returns: one row: last (string, id of the last memory looked at; null when there was none), changed (integer, labels)
// Running it twice: once a round over the whole space has changed nothing, no further one does.
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
CALL (batch) {
  UNWIND batch AS m
  WITH m
  WHERE m._community IS NOT NULL
  SET m._lock = true
  REMOVE m._lock
  WITH collect(m) AS locked
  UNWIND locked AS m
  CALL (m) {
    MATCH (m)-[c:CO_ACCESSED]-(n:Memory)
    WHERE c._binding IS NOT NULL
    WITH m, n._community AS label, sum(c._binding) AS pull
    ORDER BY pull DESC, label
    WITH m, collect({label: label, pull: pull}) AS pulls
    WITH m, pulls[0] AS most, [each IN pulls WHERE each.label = m._community][0] AS own
    WHERE most.pull > coalesce(own.pull, 0)
    SET m._community = most.label
    RETURN count(m) AS moved
  }
  RETURN coalesce(sum(moved), 0) AS changed
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, changed
