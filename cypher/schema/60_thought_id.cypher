CYPHER 25
// A thought of the idle mind is found by its id, and there is one of each.
// Running it twice: no change.
CREATE CONSTRAINT thought_id IF NOT EXISTS FOR (t:Thought) REQUIRE t.id IS UNIQUE
