CYPHER 25
// Create nodes with all their properties.
// They cannot be locked before they are there: the caller has looked for their keys in the same transaction.
// $space: string, whose
// $rows: list of maps {place (integer, the caller's), labels (list of strings, from a fixed list), plain (map of
//   properties), typed (list of maps {name, type, texts (list of strings), list (boolean)}: times and durations), vectors
//   (list of maps {name, components (list of floats)}: those that are kept as 32-bit floats)}
// returns: place, element (string, what the database calls the node)
// Running it twice: refused where a key is unique in the schema, else a second set of nodes.
UNWIND $rows AS row
CREATE (n:$(row.labels))
SET
  n = row.plain,
  n.space = $space
FOREACH (p IN row.typed |
  FOREACH (values IN [CASE p.type
      WHEN 'ZONED DATETIME' THEN [text IN p.texts | datetime(text)]
      WHEN 'LOCAL DATETIME' THEN [text IN p.texts | localdatetime(text)]
      WHEN 'DATE' THEN [text IN p.texts | date(text)]
      WHEN 'ZONED TIME' THEN [text IN p.texts | time(text)]
      WHEN 'LOCAL TIME' THEN [text IN p.texts | localtime(text)]
      WHEN 'DURATION' THEN [text IN p.texts | duration(text)]
    END] |
    SET n[p.name] = CASE WHEN p.list THEN values ELSE values[0] END
  )
)
WITH row, n
CALL (row, n) {
  UNWIND row.vectors AS vector
  CALL db.create.setNodeVectorProperty(n, vector.name, vector.components)
  RETURN count(*) AS vectors
}
RETURN row.place AS place, elementId(n) AS element
