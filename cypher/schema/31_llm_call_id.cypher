CYPHER 25
// One node per call of a language model, however often it is written.
// Running it twice: no change.
CREATE CONSTRAINT llm_call_id IF NOT EXISTS
FOR (c:LlmCall) REQUIRE c.id IS UNIQUE
