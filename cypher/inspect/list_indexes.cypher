CYPHER 25
// List Engram's indexes and whether they are ready.
// returns: name, state (ONLINE, POPULATING, FAILED), percent (float, 0 to 100)
SHOW INDEXES YIELD name, state, populationPercent, type
WHERE type <> 'LOOKUP'
RETURN name, state, populationPercent AS percent
ORDER BY name
