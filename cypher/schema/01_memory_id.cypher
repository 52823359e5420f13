CYPHER 25
// One memory per id; also the index that `get`, `why` and every write by id start from.
// Running it twice: no change.
CREATE CONSTRAINT memory_id IF NOT EXISTS
FOR (m:Memory) REQUIRE m.id IS UNIQUE
