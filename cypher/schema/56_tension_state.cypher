CYPHER 25
// The tensions of a space, by their state.
// Running it twice: no change.
CREATE INDEX tension_state IF NOT EXISTS FOR ()-[t:IN_TENSION_WITH]-() ON (t.space, t.state)
