CYPHER 25
// Sessions that are open, by the time at which they end if nothing more happens in them.
// Running it twice: no change.
CREATE INDEX session_closes IF NOT EXISTS
FOR (s:Session) ON (s.space, s.closes_at)
