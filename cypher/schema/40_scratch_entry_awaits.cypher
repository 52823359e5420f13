CYPHER 25
// What was said and not answered.
// Running it twice: no change.
CREATE INDEX scratch_entry_awaits IF NOT EXISTS
FOR (e:ScratchEntry) ON (e.space, e.awaits)
