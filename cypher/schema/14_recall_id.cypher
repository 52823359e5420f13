CYPHER 25
// A recall is found by its id, to judge it or to ask it again.
// Running it twice: no change.
CREATE CONSTRAINT recall_id IF NOT EXISTS
FOR (r:Recall) REQUIRE r.id IS UNIQUE
