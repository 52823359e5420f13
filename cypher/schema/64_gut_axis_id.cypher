CYPHER 25
// An axis of feelings is found by its id, and there is one of each.
// Running it twice: no change.
CREATE CONSTRAINT gut_axis_id IF NOT EXISTS FOR (a:GutAxis) REQUIRE a.id IS UNIQUE
