CYPHER 25
// What must go when a memory is erased: all validity episodes of it, corrections that quote it, tensions that it is a side
// of, what was dreamed of it, in whose words it may be, and what was drawn from it, or from the turn that it was said in,
// and from nothing else; and who of the same talk quotes it. What a person remembered by hand is a source of its own and
// stays.
// $space: string, whose
// $id: string, the memory's
// $quote: string, how a context quotes it
// $specific: integer, from so many characters on, words that are found elsewhere are somebody's own
// $shortest: integer, shorter words are found nowhere
// returns: gone (list of maps {id, content, contextualized, content_hash, drawn (boolean, whether it goes with what it was
//   drawn from)}), turns (list of ids, those that go), citations (list of strings, the words that links quote that go),
//   quoting (list of maps {id, kind, speaker, content, contextualized}), sessions (list of names), linked (list of ids:
//   what the links that go lead to), shaken (list of ids: what loses evidence for it or against it)
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
WITH m, episodes + corrections AS said
CALL (said) {
  CALL (said) {
    // A memory of a turn as it was said takes the turn along, whatever else was drawn from that.
    UNWIND said AS g
    MATCH (g)-[:DERIVED_FROM]->(t:Turn)
    WHERE g.kind = 'episodic' AND g.category IS NULL
    RETURN t
    UNION
    // Said again, it became no such memory: only its raw turn holds it.
    WITH [g IN said WHERE size(g.content) >= $shortest | toLower(g.content)] AS words
    MATCH (t:Turn {space: $space})
    WHERE t.id IS NOT NULL
      AND any(text IN words WHERE toLower(t.text) = text OR (size(text) >= $specific AND toLower(t.text) CONTAINS text))
      AND NOT EXISTS { (t)<-[:DERIVED_FROM]-(x:Memory) WHERE x.kind = 'episodic' AND x.category IS NULL }
    RETURN t
  }
  RETURN collect(t) AS told
}
// A step further each time: what an insight rests on was drawn from turns itself.
WITH m, said, reduce(nodes = said + told, depth IN range(1, 8) | nodes + COLLECT {
  UNWIND nodes AS g
  MATCH (g)<-[link:DERIVED_FROM|TENSION_BETWEEN]-(x:Memory)
  WHERE x.space = $space AND NOT x IN nodes AND (
    type(link) = 'TENSION_BETWEEN'
    OR x.dreamed IS NOT NULL
    OR (
      (x.source_tag <> 'external_user' OR EXISTS { (x)-[:DERIVED_FROM]->(:Turn) })
      AND NOT EXISTS { MATCH (x)-[:DERIVED_FROM]->(ground) WHERE NOT ground IN nodes }
    )
  )
  RETURN DISTINCT x
}) AS nodes
WITH m, said, nodes, [x IN nodes WHERE x:Memory] AS gone
CALL (nodes, gone) {
  // Of other turns, those that nothing else rests on.
  UNWIND gone AS g
  MATCH (g)-[:DERIVED_FROM]->(t:Turn)
  WHERE NOT EXISTS { MATCH (t)<-[:DERIVED_FROM]-(other:Memory) WHERE NOT other IN gone }
  WITH collect(DISTINCT t) AS alone
  RETURN alone + [t IN nodes WHERE t:Turn AND NOT t IN alone] AS turns
}
CALL (gone) {
  UNWIND gone AS g
  MATCH (g)-[:DERIVED_FROM]->(:Turn)-[:PART_OF]->(s:Session)
  RETURN collect(DISTINCT s) AS sessions
}
CALL (sessions, gone) {
  UNWIND sessions AS s
  MATCH (s)<-[:PART_OF]-(:Turn)<-[:DERIVED_FROM]-(near:Memory)
  WHERE NOT near IN gone AND near.contextualized CONTAINS $quote
  RETURN collect(DISTINCT near {.id, .kind, .speaker, .content, .contextualized}) AS quoting
}
CALL (gone, turns) {
  UNWIND gone + turns AS g
  MATCH (g)-[link]-(x:Memory)
  WHERE NOT x IN gone
  RETURN collect(DISTINCT x.id) AS linked, collect(DISTINCT CASE
    WHEN type(link) IN ['DERIVED_FROM', 'IN_TENSION_WITH', 'SUPERSEDES'] THEN x.id
  END) AS shaken
}
CALL (gone, turns) {
  UNWIND gone + turns AS g
  MATCH (g)-[d:DERIVED_FROM]-()
  RETURN collect(DISTINCT d.citation) AS citations
}
RETURN
  linked, shaken, citations, quoting,
  [x IN gone | x {.id, .content, .contextualized, .content_hash, drawn: NOT x IN said}] AS gone,
  [t IN turns | t.id] AS turns,
  [s IN sessions | s.id] AS sessions
