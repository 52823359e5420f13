CYPHER 25
// Take the bare nodes away again, in batches; only as a transaction of its own.
MATCH (m:BareMemory)
CALL (m) {
  DELETE m
} IN TRANSACTIONS OF 5000 ROWS
