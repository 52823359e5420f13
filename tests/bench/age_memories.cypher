CYPHER 25
// Give memories what a life of use would have left on them.
// $rows: list of maps {id, properties, follows (id of the memory said before it, or null)}
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
SET m += row.properties
WITH m, row
MATCH (before:Memory {id: row.follows})
CREATE (m)-[:FOLLOWS]->(before)
