CYPHER 25
// The boxes of a space that are open, or sealed and in no trace yet; the property is absent on all others.
// Running it twice: no change.
CREATE INDEX memory_box_due IF NOT EXISTS
FOR (b:MemoryBox) ON (b.space, b.due)
