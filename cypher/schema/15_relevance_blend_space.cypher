CYPHER 25
// What a space has learned about weighing relevance; one node a space.
// Running it twice: no change.
CREATE CONSTRAINT relevance_blend_space IF NOT EXISTS
FOR (b:RelevanceBlend) REQUIRE b.space IS UNIQUE
