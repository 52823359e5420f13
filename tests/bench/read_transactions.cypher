CYPHER 25
// The heap that each running transaction has taken, as the server accounts for it.
// returns: bytes (integer)
SHOW TRANSACTIONS YIELD estimatedUsedHeapMemory AS bytes
