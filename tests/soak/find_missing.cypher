CYPHER 25
// Which memories and turns of a space are not there. A turn of the chat is known by its name in the conversation, which
// its entry of the scratch buffer has; entries stay for a day.
// $space: string, whose
// $memories: list of strings, ids
// $turns: list of strings, names
// returns: one row: memories (list of ids), turns (list of names)
CALL () {
  UNWIND $memories AS id
  OPTIONAL MATCH (m:Memory {id: id})
  WHERE m.space = $space
  WITH id, m
  WHERE m IS NULL
  RETURN collect(id) AS memories
}
CALL () {
  MATCH (e:ScratchEntry)-[:HEARD_AS]->(:Turn)
  WHERE e.space = $space
  WITH collect(e.turn) AS there
  RETURN [name IN $turns WHERE NOT name IN there] AS turns
}
RETURN memories, turns
