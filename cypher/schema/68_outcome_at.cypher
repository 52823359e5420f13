CYPHER 25
// The outcomes of a space by time.
// Running it twice: no change.
CREATE INDEX outcome_at IF NOT EXISTS
FOR (o:Outcome) ON (o.space, o.at)
