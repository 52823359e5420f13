CYPHER 25
// A batched insert of properties and vectors, and nothing else: what writing is measured against.
// $rows: list of maps {properties, embedding}
UNWIND $rows AS row
CREATE (m:BareMemory)
SET m = row.properties
WITH m, row
CALL db.create.setNodeVectorProperty(m, 'embedding', row.embedding)
