CYPHER 25
// Drop the index of one slot of vectors; the vectors stay.
// Running it twice: no change.
DROP INDEX memory_embedding IF EXISTS
