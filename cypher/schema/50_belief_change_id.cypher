CYPHER 25
// A change of belief is found by its id, and there is one of each.
// Running it twice: no change.
CREATE CONSTRAINT belief_change_id IF NOT EXISTS FOR (c:BeliefChange) REQUIRE c.id IS UNIQUE
