CYPHER 25
// For a script: remove the index that it began with.
// Running it twice: no change.
DROP INDEX exported_node IF EXISTS
