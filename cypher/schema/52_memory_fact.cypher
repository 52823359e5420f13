CYPHER 25
// What is held about a subject, and about one attribute of it.
// Running it twice: no change.
CREATE INDEX memory_fact IF NOT EXISTS FOR (m:Memory) ON (m.space, m.subject, m.slot)
