CYPHER 25
// The traces of a space, each once.
// Running it twice: no change.
CREATE CONSTRAINT trace_id IF NOT EXISTS
FOR (t:Trace) REQUIRE (t.space, t.id) IS UNIQUE
