CYPHER 25
// An approval is found by its id, and there is one of each.
// Running it twice: no change.
CREATE CONSTRAINT approval_id IF NOT EXISTS FOR (a:Approval) REQUIRE a.id IS UNIQUE
