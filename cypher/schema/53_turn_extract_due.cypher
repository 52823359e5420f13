CYPHER 25
// Turns that no facts were drawn from yet: the property is there until they were.
// Running it twice: no change.
CREATE INDEX turn_extract_due IF NOT EXISTS FOR (t:Turn) ON (t.space, t.extract_due_at)
