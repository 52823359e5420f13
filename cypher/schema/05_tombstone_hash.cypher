CYPHER 25
// One tombstone per space and hash: what was erased at a person's wish stays away.
// Running it twice: no change.
CREATE CONSTRAINT tombstone_hash IF NOT EXISTS
FOR (t:Tombstone) REQUIRE (t.space, t.content_hash) IS UNIQUE
