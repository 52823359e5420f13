CYPHER 25
// Everything that a space holds but the vectors.
// $space: string, whose
// returns: nodes (list of maps {id, labels, properties}), relationships (list of maps {type, start, end,
//   properties}); an id is the node's own or, where it has none, its key or what the database calls it
CALL () {
  MATCH (n)
  WHERE n.space = $space
  WITH n, coalesce(n.id, n.key, elementId(n)) AS id
  ORDER BY id
  RETURN collect({id: id, labels: labels(n), properties: n {.*, embedding: null, embedding_b: null}}) AS nodes
}
CALL () {
  MATCH (n)-[r]->(o)
  WHERE n.space = $space
  WITH
    r,
    coalesce(n.id, n.key, elementId(n)) AS start,
    coalesce(o.id, o.key, elementId(o)) AS end
  ORDER BY type(r), start, end
  RETURN collect({type: type(r), start: start, end: end, properties: properties(r)}) AS relationships
}
RETURN nodes, relationships
