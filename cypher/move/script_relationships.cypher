CYPHER 25
// For a script: create relationships between the nodes that it has created.
// Only the script knows these nodes, so nothing need be locked in the same transaction.
// $rows: list of maps {type (string), start, end (integers, which of the nodes), properties (map)}
// Running it twice: a second set of relationships.
UNWIND $rows AS row
MATCH (a:ExportedNode {exported_node: row.start})
MATCH (b:ExportedNode {exported_node: row.end})
CREATE (a)-[r:$(row.type)]->(b)
SET r = row.properties
