CYPHER 25
// Entries of the scratch buffer whose time has come.
// Running it twice: no change.
CREATE INDEX scratch_entry_expires IF NOT EXISTS
FOR (e:ScratchEntry) ON (e.space, e.expires_at)
