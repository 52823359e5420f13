CYPHER 25
// Read the relationships that begin at some nodes and end in the same space, with all their properties, as
// move/read_nodes reads those of nodes.
// $space: string, whose
// $elements: list of strings, what the database calls the nodes
// $keys: map from label to list of strings, the properties that tell its nodes apart
// returns: type, start, end (strings, what the database calls the ends), start_label, end_label (strings or null),
//   start_key, end_key (lists), names, types (lists of strings), values (list)
UNWIND $elements AS element
MATCH (n)-[r]->(o)
WHERE elementId(n) = element AND n.space = $space AND o.space = $space
WITH
  n,
  r,
  o,
  keys(r) AS names,
  head([label IN labels(n) WHERE $keys[label] IS NOT NULL]) AS start_label,
  head([label IN labels(o) WHERE $keys[label] IS NOT NULL]) AS end_label
RETURN
  type(r) AS type,
  elementId(n) AS start,
  elementId(o) AS end,
  start_label,
  end_label,
  [name IN coalesce($keys[start_label], []) | n[name]] AS start_key,
  [name IN coalesce($keys[end_label], []) | o[name]] AS end_key,
  names,
  [name IN names | valueType(r[name])] AS types,
  [name IN names | CASE
    WHEN r[name] IS :: STRING | BOOLEAN | INTEGER | FLOAT THEN r[name]
    WHEN r[name] IS :: DATE | LOCAL TIME | ZONED TIME | LOCAL DATETIME | ZONED DATETIME | DURATION
      THEN toString(r[name])
    WHEN r[name] IS :: LIST<DATE | LOCAL TIME | ZONED TIME | LOCAL DATETIME | ZONED DATETIME | DURATION>
      THEN [each IN r[name] | toString(each)]
    ELSE r[name]
  END] AS values
