CYPHER 25
// Take words out of nodes and relationships that stay: each named property gets what is left of it, or goes. What goes as a
// whole is deleted; of memories, turns and names none is, they are erased in ways of their own. A question goes with what
// it was known by.
// The memories among the nodes were locked in the same transaction.
// $space: string, whose
// $rows: list of maps {element, property, value (string, list of strings or null)}, of nodes
// $links: list of such maps, of relationships
// $deleted: list of strings, elements of nodes that are deleted
// returns: scrubbed (integer, properties), deleted (integer, nodes)
// Running it twice: the same values; what is deleted is not there any more.
CALL () {
  UNWIND $rows AS row
  MATCH (n)
  WHERE elementId(n) = row.element AND n.space = $space
  SET n[row.property] = row.value
  FOREACH (_ IN CASE WHEN n:Recall THEN [1] END | REMOVE n.query, n.query_hash)
  RETURN count(*) AS nodes
}
CALL () {
  UNWIND $links AS row
  MATCH (n)-[r]->()
  WHERE elementId(r) = row.element AND n.space = $space
  SET r[row.property] = row.value
  RETURN count(*) AS links
}
CALL () {
  UNWIND $deleted AS element
  MATCH (n)
  WHERE elementId(n) = element AND n.space = $space AND NOT n:Memory AND NOT n:Turn AND NOT n:Entity
  DETACH DELETE n
  RETURN count(*) AS deleted
}
RETURN nodes + links AS scrubbed, deleted
