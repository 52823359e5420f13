CYPHER 25
// What is around these? Given memories, with what they rest on, mention, replace, disagree with and go together with.
// $space: string, whose
// $ids: list of strings, the memories'
// $limit: integer, most memories
// returns: memory, each one; path, from it to its surroundings, or null
UNWIND $ids[..$limit] AS id
MATCH (memory:Memory {id: id})
WHERE memory.space = $space
CALL (memory) {
  OPTIONAL MATCH path =
    (memory)-[link:MENTIONS|DERIVED_FROM|SUPERSEDES|IN_TENSION_WITH|CO_ACCESSED|BELONGS_TO]-(other)
  WHERE other.space = $space
  RETURN path
  ORDER BY type(link) = 'CO_ACCESSED', type(link) DESC, coalesce(other.key, other.id)
  LIMIT 8
}
RETURN memory, path
