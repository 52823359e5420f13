CYPHER 25
// Take the vector index away, on a server that is the test's own.
DROP INDEX memory_embedding IF EXISTS
