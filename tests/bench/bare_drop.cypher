CYPHER 25
// Before its nodes are deleted, so that they need not be taken out of it.
DROP INDEX bare_embedding IF EXISTS
