CYPHER 25
// One manifest a space.
// Running it twice: no change.
CREATE CONSTRAINT agent_manifest_space IF NOT EXISTS
FOR (a:AgentManifest) REQUIRE a.space IS UNIQUE
