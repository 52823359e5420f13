CYPHER 25
// The versions of a space's guidelines, each once.
// Running it twice: no change.
CREATE CONSTRAINT compression_guideline_version IF NOT EXISTS
FOR (g:CompressionGuideline) REQUIRE (g.space, g.version) IS UNIQUE
