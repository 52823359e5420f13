CYPHER 25
// What must go when memories or turns are erased: all validity episodes of them, corrections that quote them, tensions that
// they are a side of, what was dreamed of them, in whose words they may be, and what was drawn from them, or from the turns
// that they were said in, and from nothing else. What a person remembered by hand is a source of its own and stays.
// $space: string, whose
// $ids: list of strings, the memories'
// $turns: list of strings, ids of turns that go with them
// $specific: integer, from so many characters on, words that are found elsewhere are somebody's own
// $shortest: integer, shorter words are found nowhere
// returns: one row: gone (list of maps {id, kind, content, contextualized, content_hash, speaker, drawn (boolean, whether it
//   goes with what it was drawn from)}), turns (list of maps {id, text, speaker}, those that go), citations (list of
//   strings, the words that links quote that go), queries (list of strings, the questions that they answered or that quote
//   them), sessions (list of names), linked (list of ids: what the links that go lead to), shaken (list of ids: what loses
//   evidence for it or against it)
CALL () {
  MATCH (m:Memory)
  WHERE m.space = $space AND m.id IN $ids
  RETURN collect(m) AS roots
}
CALL () {
  MATCH (t:Turn {space: $space})
  WHERE t.id IN $turns
  RETURN collect(t) AS asked
}
CALL (roots) {
  UNWIND roots AS m
  MATCH (episode:Memory {space: $space})
  WHERE episode.content_hash STARTS WITH split(m.content_hash, '-')[0]
  RETURN collect(DISTINCT episode) AS episodes
}
CALL (roots) {
  // What the agent learned from its own errors begins with what was said.
  MATCH (c:Correction {space: $space})
  WHERE c.status IS NOT NULL AND NOT c IN roots
    AND any(m IN roots WHERE size(m.content) >= $specific AND toLower(c.content) CONTAINS toLower(m.content))
  RETURN collect(c) AS corrections
}
WITH asked, episodes + corrections AS said
CALL (said, asked) {
  CALL (said, asked) {
    UNWIND asked AS t
    RETURN t
    UNION
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
WITH asked, said, reduce(nodes = said + told, depth IN range(1, 8) | nodes + COLLECT {
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
WITH asked, said, nodes, [x IN nodes WHERE x:Memory] AS gone
CALL (nodes, gone) {
  // Of other turns, those that nothing else rests on.
  UNWIND gone AS g
  MATCH (g)-[:DERIVED_FROM]->(t:Turn)
  WHERE NOT EXISTS { MATCH (t)<-[:DERIVED_FROM]-(other:Memory) WHERE NOT other IN gone }
  WITH collect(DISTINCT t) AS alone
  RETURN alone + [t IN nodes WHERE t:Turn AND NOT t IN alone] AS turns
}
CALL (gone, turns) {
  UNWIND gone + turns AS g
  MATCH (g)-[:DERIVED_FROM|PART_OF]->{1,2}(s:Session)
  RETURN collect(DISTINCT s.id) AS sessions
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
  MATCH (g)-[d:DERIVED_FROM|RETURNED]-(x)
  RETURN collect(DISTINCT d.citation) AS citations, collect(DISTINCT x.query) AS answered
}
CALL (gone, asked) {
  WITH [text IN [g IN gone | g.content] + [t IN asked | t.text] WHERE size(text) >= $shortest | toLower(text)] AS words
  MATCH (r:Recall)
  WHERE r.space = $space AND r.at IS NOT NULL AND any(text IN words WHERE toLower(r.query) CONTAINS text)
  RETURN collect(DISTINCT r.query) AS quoting
}
RETURN
  linked, shaken, citations, answered + quoting AS queries, sessions,
  [x IN gone | x {.id, .kind, .content, .contextualized, .content_hash, .speaker, drawn: NOT x IN said}] AS gone,
  [t IN turns | t {.id, .text, .speaker}] AS turns
