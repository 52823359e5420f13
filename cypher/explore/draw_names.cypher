CYPHER 25
// Who and what do I know? The names that are mentioned most, the other names that they go by, and the newest memories
// that mention them.
// $space: string, whose
// $limit: integer, most memories; a fifth as many names
// returns: path, from a name to a memory that mentions it, or to a name that means the same
MATCH (name:Entity {space: $space})
WHERE name.key IS NOT NULL
WITH name, count { (name)<-[:MENTIONS]-() } AS mentions
ORDER BY mentions DESC, name.key
LIMIT 1 + $limit / 5
CALL (name) {
  MATCH path = (name)<-[:MENTIONS]-(memory:Memory {space: $space, status: 'active'})
  RETURN path
  ORDER BY memory:Episodic, memory.event_at DESC, memory.id
  LIMIT 5
  UNION ALL
  MATCH path = (name)-[:ALIAS_OF]-(:Entity {space: $space})
  RETURN path
  LIMIT 5
}
RETURN path
