CYPHER 25
// One node of numbers per space, and one of defaults whose space is ''.
// Running it twice: no change.
CREATE CONSTRAINT consolidation_config_space IF NOT EXISTS
FOR (c:ConsolidationConfig) REQUIRE c.space IS UNIQUE
