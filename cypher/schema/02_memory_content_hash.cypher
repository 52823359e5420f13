CYPHER 25
// One memory per space and content hash: what makes remembering the same thing twice store it once.
// Running it twice: no change.
CREATE CONSTRAINT memory_content_hash IF NOT EXISTS
FOR (m:Memory) REQUIRE (m.space, m.content_hash) IS UNIQUE
