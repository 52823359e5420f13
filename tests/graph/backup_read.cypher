// Everything in the database, in an order that does not depend on where it is stored.
CALL () {
  MATCH (n) RETURN labels(n) AS labels, properties(n) AS properties, '' AS ends
  UNION ALL
  MATCH (a)-[r]->(b) RETURN [type(r)] AS labels, properties(r) AS properties, a.id + '>' + b.id AS ends
}
RETURN labels, properties, ends ORDER BY toString(labels[0]), ends, properties.id
