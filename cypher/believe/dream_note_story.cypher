CYPHER 25
// Note what a narrative was told of the last time, whether in other words or in the same: it is told anew once a third of
// that has become other.
// The memory was locked in the same transaction.
// $space: string, whose
// $id: string, the narrative's
// $told_of: list of strings, ids of memories, ascending, the insight aside
// Running it twice: no change.
MATCH (n:Memory {id: $id})
WHERE n.space = $space
SET n.told_of = $told_of
