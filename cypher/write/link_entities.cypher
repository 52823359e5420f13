CYPHER 25
// Say who said each memory and who or what it names.
// The memories were stored, and so locked, in the same transaction.
// Entities are merged in the order of their keys, so that writers who name the same queue up.
// $space: string, whose
// $entities: list of maps, sorted by key: {key, name, mentions}, mentions a list of maps {id, role}, where
//   role is 'speaker' or 'named'
// $now: datetime, when
// Running it twice: no change.
UNWIND $entities AS entity
MERGE (e:Entity {space: $space, key: entity.key})
  ON CREATE SET
    e.name = entity.name,
    e.created_at = $now
WITH e, entity
UNWIND entity.mentions AS mention
MATCH (m:Memory {id: mention.id})
WHERE m.space = $space
MERGE (m)-[r:MENTIONS]->(e)
  ON CREATE SET
    r.role = mention.role,
    r.at = $now
