CYPHER 25
// What must go when a memory is erased, all validity episodes of it and corrections that quote it, and who of the same talk quotes it.
// $space: string, whose
// $id: string, the memory's
// $quote: string, how a context quotes it
// $specific: integer, characters from which words that are found elsewhere are somebody's own
// returns: gone (list of maps {id, content, contextualized, content_hash}), quoting (list of maps
//   {id, kind, speaker, content, contextualized}), sessions (list of names), linked (list of ids: what the links
//   that go with it lead to)
MATCH (m:Memory {id: $id})
WHERE m.space = $space
CALL (m) {
  MATCH (episode:Memory {space: $space})
  WHERE episode.content_hash STARTS WITH split(m.content_hash, '-')[0]
  RETURN collect(episode) AS episodes
}
CALL (m) {
  // What the agent learned from its own errors begins with what was said.
  MATCH (c:Correction {space: $space})
  WHERE c.status IS NOT NULL AND c <> m
    AND size(m.content) >= $specific AND toLower(c.content) CONTAINS toLower(m.content)
  RETURN collect(c) AS corrections
}
WITH m, episodes + corrections AS gone
CALL (m) {
  MATCH (m)-[:DERIVED_FROM]->(:Turn)-[:PART_OF]->(s:Session)
  RETURN collect(DISTINCT s) AS sessions
}
CALL (sessions, gone) {
  UNWIND sessions AS s
  MATCH (s)<-[:PART_OF]-(:Turn)<-[:DERIVED_FROM]-(near:Memory)
  WHERE NOT near IN gone AND near.contextualized CONTAINS $quote
  RETURN collect(DISTINCT near {.id, .kind, .speaker, .content, .contextualized}) AS quoting
}
CALL (gone) {
  UNWIND gone AS m
  MATCH (m)--(other:Memory)
  RETURN collect(DISTINCT other.id) AS linked
}
RETURN
  linked,
  [x IN gone | x {.id, .content, .contextualized, .content_hash}] AS gone,
  quoting,
  [s IN sessions | s.id] AS sessions
