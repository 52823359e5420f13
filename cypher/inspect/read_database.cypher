CYPHER 25
// Which database this is, whatever address it is reached at.
// returns: id (string)
CALL db.info() YIELD id
RETURN id
