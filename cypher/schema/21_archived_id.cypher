CYPHER 25
// One snapshot for each step of a memory; its id is the memory's and the tier that it left.
// Running it twice: no change.
CREATE CONSTRAINT archived_id IF NOT EXISTS
FOR (a:Archived) REQUIRE a.id IS UNIQUE
