CYPHER 25
// Give memories the vectors that a model made of them, those whose text is still the one that it read.
// $space: string, whose
// $property: string, the slot's property
// $generation_made: integer, of the vectors; where the slot is another's meanwhile, nothing is stored
// $model: string, the model's name where its vectors are those in use, or null
// $rows: list of maps {id, version, vector}, sorted by id
// returns: one row: stored (integer)
// Running it twice: the same vectors.
CALL () {
  UNWIND $rows AS row
  MATCH (m:Memory {id: row.id})
  WHERE m.space = $space
  SET m._lock = true
  REMOVE m._lock
  RETURN collect({memory: m, row: row}) AS locked
}
OPTIONAL MATCH (s:EngramSchema {id: 'engram'})
WITH locked, coalesce($generation_made IN [coalesce(s.generation, 0), s.other_generation], false) AS ours
UNWIND locked AS each
WITH each.memory AS m, each.row AS row
WHERE ours AND m.version = row.version
CALL db.create.setNodeVectorProperty(m, $property, row.vector)
SET
  m.embed_model = coalesce($model, m.embed_model),
  m.embed_due = null
RETURN count(m) AS stored
