CYPHER 25
// The thoughts of a space by time: what came to mind lately.
// Running it twice: no change.
CREATE INDEX thought_at IF NOT EXISTS
FOR (t:Thought) ON (t.space, t.at)
