CYPHER 25
// A version of the working memory is found by its id, and there is one of each.
// Running it twice: no change.
CREATE CONSTRAINT working_memory_id IF NOT EXISTS FOR (w:WorkingMemory) REQUIRE w.id IS UNIQUE
