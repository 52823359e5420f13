CYPHER 25
// One counter per space, kind of record and month, also when several sweeps count at once.
// Running it twice: no change.
CREATE CONSTRAINT record_counter_key IF NOT EXISTS
FOR (c:RecordCounter) REQUIRE (c.space, c.kind, c.month) IS UNIQUE
