CYPHER 25
// Who somebody or something is: all names that are one with some names, and every memory that mentions one of them or is
// about it.
// $space: string, whose
// $keys: list of strings, keys of entities
// returns: one row: names (list of maps {key, name}, ascending by key), ids (list of strings, the memories', ascending)
CALL () {
  MATCH (e:Entity)
  WHERE e.space = $space AND e.key IN $keys
  MATCH (e)-[:ALIAS_OF]-{0,2}(same:Entity)
  WITH DISTINCT same ORDER BY same.key
  RETURN collect(same) AS group
}
CALL (group) {
  CALL (group) {
    UNWIND group AS e
    MATCH (e)<-[:MENTIONS]-(m:Memory)
    RETURN m
    UNION
    UNWIND group AS e
    MATCH (m:Memory)
    WHERE m.space = $space AND m.subject = e.key AND m.slot IS NOT NULL
    RETURN m
  }
  WITH m ORDER BY m.id
  RETURN collect(m.id) AS ids
}
RETURN [e IN group | e {.key, .name}] AS names, ids
