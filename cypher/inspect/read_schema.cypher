CYPHER 25
// Read which schema and embedding model the database was set up with.
// returns: version (integer), embed_model (string), dimensions (integer); no row in a new database
MATCH (s:EngramSchema {id: 'engram'})
RETURN s.version AS version, s.embed_model AS embed_model, s.dimensions AS dimensions
