CYPHER 25
// What waits for the exit gate.
// Running it twice: no change.
CREATE INDEX scratch_entry_state IF NOT EXISTS
FOR (e:ScratchEntry) ON (e.space, e.state)
