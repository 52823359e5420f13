CYPHER 25
// Say whether one memory stands, at any distance, among those that another supersedes.
// $space: string, whose
// $newer: string, id at the upper end
// $older: string, id looked for below it
// returns: found (boolean), direct (boolean: by a single step)
MATCH (newer:Memory {id: $newer})
WHERE newer.space = $space
MATCH (older:Memory {id: $older})
WHERE older.space = $space
RETURN
  EXISTS { (newer)-[:SUPERSEDES]->+(older) } AS found,
  EXISTS { (newer)-[:SUPERSEDES]->(older) } AS direct
