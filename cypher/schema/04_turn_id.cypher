CYPHER 25
// One raw turn per space and id.
// Running it twice: no change.
CREATE CONSTRAINT turn_id IF NOT EXISTS
FOR (t:Turn) REQUIRE (t.space, t.id) IS UNIQUE
