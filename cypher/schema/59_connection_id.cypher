CYPHER 25
// A connection of an episode and a goal is found by its id, and there is one of each.
// Running it twice: no change.
CREATE CONSTRAINT connection_id IF NOT EXISTS FOR (c:Connection) REQUIRE c.id IS UNIQUE
