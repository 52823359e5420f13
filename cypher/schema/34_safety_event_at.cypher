CYPHER 25
// The safety events of a space by time: for listing them, and for rolling up those whose time has come.
// Running it twice: no change.
CREATE INDEX safety_event_at IF NOT EXISTS
FOR (e:SafetyEvent) ON (e.space, e.at)
