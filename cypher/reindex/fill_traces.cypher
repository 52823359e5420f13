CYPHER 25
// Give the traces of a space that have no centroid in a slot the mean of their boxes' in it, as weaving them does.
// $space: string, whose
// $centroid: string, the slot's property
// $other: string, the other slot's: a trace of which something was erased has none there either
// Running it twice: no change.
MATCH (t:Trace)
WHERE t.space = $space AND t[$centroid] IS NULL AND t[$other] IS NOT NULL
CALL (t) {
  MATCH (t)<-[:IN_TRACE]-(b:MemoryBox)
  WHERE b.space = $space AND b[$centroid] IS NOT NULL
  WITH t, b ORDER BY b.id
  WITH t, collect(b[$centroid]) AS means
  SET t[$centroid] = [
    place IN range(0, size(means[0]) - 1) |
    reduce(total = 0.0, each IN means | total + each[place]) / size(means)
  ]
} IN TRANSACTIONS OF 50 ROWS
