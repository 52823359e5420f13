CYPHER 25
// For a script: create nodes; the rows are written into it where the parameter stands.
// Nobody has locked what is not there yet, so no order of locks is kept in the same transaction.
// $rows: list of maps {labels (list of strings), properties (map)}
// Running it twice: refused where a key is unique in the schema, else a second set of nodes.
UNWIND $rows AS row
CREATE (n:ExportedNode:$(row.labels))
SET n = row.properties
