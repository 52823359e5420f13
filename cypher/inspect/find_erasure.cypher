CYPHER 25
// What must go when a memory is erased, all validity episodes of it, and the talk around it, whose
// context quotes it.
// $space: string, whose
// $id: string, the memory's
// returns: gone (list of maps {id, kind, content, contextualized, content_hash}), around (list of maps
//   {id, kind, speaker, text, at, place}: the memories up to four turns before, place -1 to -4, and after)
MATCH (m:Memory {id: $id})
WHERE m.space = $space
CALL (m) {
  MATCH (episode:Memory {space: $space})
  WHERE episode.content_hash STARTS WITH split(m.content_hash, '-')[0]
  RETURN collect(episode {.id, .kind, .content, .contextualized, .content_hash}) AS gone
}
CALL (m) {
  // Collected in here: a memory without neighbours is a row all the same.
  CALL (m) {
    MATCH path = (m)-[:FOLLOWS*1..4]->(near:Memory)
    RETURN near, -length(path) AS place
    UNION
    MATCH path = (m)<-[:FOLLOWS*1..4]-(near:Memory)
    RETURN near, length(path) AS place
  }
  WITH near, place ORDER BY place
  RETURN collect(near {.id, .kind, .speaker, text: near.content, at: near.event_at, place: place}) AS around
}
RETURN gone, around
