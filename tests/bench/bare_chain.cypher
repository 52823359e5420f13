CYPHER 25
// The bare query that `why` is measured against: one path, of known form, with nothing bounded, counted or ordered.
// $space: string, whose
// $id: string, the memory's
MATCH path = (m:Memory {id: $id})-[:DERIVED_FROM*7]->(:Turn)-[:PART_OF]->(:Session)
WHERE m.space = $space
RETURN path
