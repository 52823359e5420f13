CYPHER 25
// A feeling is found by its id, and there is one of each.
// Running it twice: no change.
CREATE CONSTRAINT gut_delta_id IF NOT EXISTS FOR (d:GutDelta) REQUIRE d.id IS UNIQUE
