CYPHER 25
// One session per space and name.
// Running it twice: no change.
CREATE CONSTRAINT session_id IF NOT EXISTS
FOR (s:Session) REQUIRE (s.space, s.id) IS UNIQUE
