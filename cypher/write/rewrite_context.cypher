CYPHER 25
// Give memories a new context and the vector that goes with it; content stays as said.
// They were locked in the same transaction.
// A vector that another model made of the old context goes; embed_due says where it is to be made again, as in
// remember_memories.
// $space: string, whose
// $rows: list of maps {id, contextualized, embedding}, sorted by id
// $generation: integer, of the vectors: which model made them, and when it came into use
// Running it twice: the same text and vector.
CALL () {
  OPTIONAL MATCH (s:EngramSchema {id: 'engram'})
  WITH s, coalesce(s.generation, 0) = $generation AS current
  RETURN
    NOT current OR coalesce(s.other_state IN ['filling', 'returning'], false) AS due,
    current OR coalesce(s.other_generation = $generation, false) AS kept
}
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
WHERE m.space = $space
SET
  m.contextualized = row.contextualized,
  m.version = m.version + 1,
  m.embed_due = CASE WHEN due THEN true END,
  m.embedding_b = null
WITH m, row, kept
CALL (m, row, kept) {
  WITH m, row
  WHERE kept
  CALL db.create.setNodeVectorProperty(m, 'embedding', row.embedding)
}
