CYPHER 25
// What the server's Java holds, as Java itself says.
// returns: one row: used (integer, bytes of heap in use), live (integer, bytes that the last collections left)
CALL dbms.queryJmx('java.lang:type=Memory') YIELD attributes AS memory
CALL dbms.queryJmx('java.lang:type=MemoryPool,name=G1*') YIELD attributes AS pool
RETURN
  memory.HeapMemoryUsage.value.properties.used AS used,
  sum(pool.CollectionUsage.value.properties.used) AS live
