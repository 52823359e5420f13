CYPHER 25
// One entity per space and name, however it is spelled: `key` is the name without case and accents.
// Running it twice: no change.
CREATE CONSTRAINT entity_key IF NOT EXISTS
FOR (e:Entity) REQUIRE (e.space, e.key) IS UNIQUE
