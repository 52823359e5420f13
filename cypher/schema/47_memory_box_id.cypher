CYPHER 25
// One box per first memory; its id is made of that memory's.
// Running it twice: no change.
CREATE CONSTRAINT memory_box_id IF NOT EXISTS
FOR (b:MemoryBox) REQUIRE b.id IS UNIQUE
