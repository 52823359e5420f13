CYPHER 25
// Read nodes with all their properties. What has no form in JSON that keeps it whole, times above all, comes as text
// beside its type: the driver's own types would lose nanoseconds and the zone.
// $space: string, whose
// $elements: list of strings, what the database calls the nodes
// $vectors: list of strings, how the names of vectors begin
// $read: list of strings, names of the vectors that are read; of the others only the names are told
// returns: element (string), labels, names, types (lists of strings), values (list), vectors (list of strings, names),
//   components (list of lists of floats or null, the vectors)
UNWIND $elements AS element
MATCH (n)
WHERE elementId(n) = element AND n.space = $space
WITH n, [
  name IN keys(n)
  WHERE any(beginning IN $vectors WHERE name STARTS WITH beginning)
    AND n[name] IS :: LIST<FLOAT NOT NULL> NOT NULL
] AS vectors
WITH n, vectors, [name IN keys(n) WHERE NOT name IN vectors] AS names
RETURN
  elementId(n) AS element,
  labels(n) AS labels,
  names,
  [name IN names | valueType(n[name])] AS types,
  [name IN names | CASE
    WHEN n[name] IS :: STRING | BOOLEAN | INTEGER | FLOAT THEN n[name]
    WHEN n[name] IS :: DATE | LOCAL TIME | ZONED TIME | LOCAL DATETIME | ZONED DATETIME | DURATION
      THEN toString(n[name])
    WHEN n[name] IS :: LIST<DATE | LOCAL TIME | ZONED TIME | LOCAL DATETIME | ZONED DATETIME | DURATION>
      THEN [each IN n[name] | toString(each)]
    ELSE n[name]
  END] AS values,
  vectors,
  [name IN vectors | CASE WHEN name IN $read THEN n[name] END] AS components
