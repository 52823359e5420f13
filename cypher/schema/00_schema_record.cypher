CYPHER 25
// One record of the schema, also when several processes set the database up at once.
// Running it twice: no change.
CREATE CONSTRAINT schema_record IF NOT EXISTS
FOR (s:EngramSchema) REQUIRE s.id IS UNIQUE
