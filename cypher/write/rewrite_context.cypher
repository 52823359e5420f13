CYPHER 25
// Give memories a new context and the vector that goes with it; content stays as said.
// They were locked in the same transaction.
// $space: string, whose
// $rows: list of maps {id, contextualized, embedding}, sorted by id
// Running it twice: the same text and vector.
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
WHERE m.space = $space
SET
  m.contextualized = row.contextualized,
  m.version = m.version + 1
WITH m, row
CALL db.create.setNodeVectorProperty(m, 'embedding', row.embedding)
