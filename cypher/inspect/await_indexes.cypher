CYPHER 25
// Wait until every index is online.
// $seconds: integer, how long at most; past it the procedure fails
CALL db.awaitIndexes($seconds)
