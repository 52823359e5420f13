CYPHER 25
// All that some nodes hold, and all that they are linked to, in an order of its own.
// $elements: list of strings, what the database calls the nodes
// returns: held (list of lists)
UNWIND $elements AS element
MATCH (n)
WHERE elementId(n) = element
CALL (n) {
  OPTIONAL MATCH (n)-[r]-(o)
  WITH type(r) AS type, properties(r) AS held, elementId(o) AS other
  ORDER BY type, other, toString(held.role), toString(held.at)
  RETURN collect([type, other, held]) AS links
}
WITH element, labels(n) AS labels, n {.*, embedding: size(n.embedding), centroid: size(n.centroid)} AS held, links
ORDER BY element
RETURN collect([element, labels, held, links]) AS held
