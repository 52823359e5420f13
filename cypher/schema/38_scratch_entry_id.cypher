CYPHER 25
// One entry of the scratch buffer, however often its journal is written.
// Running it twice: no change.
CREATE CONSTRAINT scratch_entry_id IF NOT EXISTS
FOR (e:ScratchEntry) REQUIRE e.id IS UNIQUE
