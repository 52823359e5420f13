CYPHER 25
// The open boxes of a space with what is in them, in order; one of which all was erased holds nothing, and is left out.
// $space: string, whose
// returns: id, session, episodes (list of maps {id, event_at, content, embedding})
MATCH (b:MemoryBox {space: $space, due: 'seal'})
MATCH (b)<-[i:IN_BOX]-(m:Memory)
WHERE m.space = $space
WITH b, i, m ORDER BY i.place, m.id
RETURN
  b.id AS id,
  b.session AS session,
  collect({id: m.id, event_at: m.event_at, content: m.content, embedding: m.embedding}) AS episodes
ORDER BY id
