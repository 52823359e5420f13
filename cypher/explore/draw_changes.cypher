CYPHER 25
// What has changed? What replaced what, the newest change first, with the words in which the change was told.
// $space: string, whose
// $limit: integer, most changes
// returns: path, from what was said to what replaced, and on to what it replaced
MATCH (old:Memory {space: $space, status: 'superseded'})<-[link:SUPERSEDES]-(new:Memory {space: $space})
WHERE old.tier IS NOT NULL
WITH old, link, new
ORDER BY link.at DESC, new.id, old.id
LIMIT $limit
CALL (old, link, new) {
  MATCH path = (new)-[link]->(old)
  RETURN path
  UNION ALL
  MATCH path = (new)-[:DERIVED_FROM]->(said)
  WHERE said.space = $space
  RETURN path
  ORDER BY said.id
  LIMIT 2
}
RETURN path
