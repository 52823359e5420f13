CYPHER 25
// The database's time, which all workers have in common.
// returns: now (datetime)
RETURN datetime.realtime() AS now
