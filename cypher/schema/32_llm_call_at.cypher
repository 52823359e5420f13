CYPHER 25
// The calls of a space by time: for what a day cost, and for those whose time has come to be rolled up.
// Running it twice: no change.
CREATE INDEX llm_call_at IF NOT EXISTS
FOR (c:LlmCall) ON (c.space, c.at)
