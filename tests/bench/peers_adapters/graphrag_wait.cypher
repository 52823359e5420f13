CYPHER 25
// Wait until every index is online, so that the first question finds what was just stored.
CALL db.awaitIndexes()
