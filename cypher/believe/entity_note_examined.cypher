CYPHER 25
// Note how often names were mentioned when they were compared with others.
// $space: string, whose
// $names: list of maps {key, mentions}, sorted by key
// returns: noted (integer)
// Running it twice: no change.
UNWIND $names AS name
MATCH (e:Entity {space: $space, key: name.key})
SET e.examined = name.mentions
RETURN count(e) AS noted
