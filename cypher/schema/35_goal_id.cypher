CYPHER 25
// One node a goal.
// Running it twice: no change.
CREATE CONSTRAINT goal_id IF NOT EXISTS
FOR (g:Goal) REQUIRE g.id IS UNIQUE
