CYPHER 25
// Take all of a space away, in batches; only as a transaction of its own.
// $space: string, whose
MATCH (n)
WHERE n.space = $space
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF 1000 ROWS
