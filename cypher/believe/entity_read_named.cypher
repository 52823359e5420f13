CYPHER 25
// What surrounds some names, as far as it tells whether two of them are one. The reads of each name are bounded; a
// neighbour that everything mentions tells nothing and is left out.
// $space: string, whose
// $groups: list of maps {key, keys (the names that are one with it, itself among them)}
// $read: integer, mentions of each name that are looked at
// $hub: integer, a neighbour with more mentions is left out
// $facts: integer, facts of each name that are looked at
// returns: key, neighbours (list of keys), sessions, speaks (lists of ids of conversations that it is in, that it speaks in),
//   introduced (list of maps {speaker, text}), facts (list of maps {subject, slot, value, single, negated, valid_from,
//   valid_to, of (boolean, whether it is the subject and not the value)}),
//   distinct (list of keys that a person said are not it), doubted (list of keys that a job no longer takes for it)
UNWIND $groups AS g
CALL (g) {
  MATCH (e:Entity)
  WHERE e.space = $space AND e.key IN g.keys
  CALL (e) {
    MATCH (e)<-[r:MENTIONS]-(m:Memory)
    RETURN m, r.role AS role
    LIMIT $read
  }
  RETURN collect(DISTINCT m) AS memories, collect(DISTINCT CASE WHEN role = 'speaker' THEN m END) AS spoken
}
CALL (g, memories) {
  UNWIND memories AS m
  MATCH (m)-[:MENTIONS {role: 'named'}]->(n:Entity)
  WITH DISTINCT g, n
  WHERE NOT n.key IN g.keys AND count { (n)<-[:MENTIONS]-() } <= $hub
  OPTIONAL MATCH (n)-[:ALIAS_OF]->(c:Entity)
  RETURN collect(DISTINCT coalesce(c.key, n.key)) AS neighbours
}
CALL (memories) {
  UNWIND memories AS m
  MATCH (m)-[:DERIVED_FROM]->(:Turn)-[:PART_OF]->(s:Session)
  RETURN collect(DISTINCT s.id) AS sessions
}
CALL (spoken) {
  UNWIND spoken AS m
  MATCH (m)-[:DERIVED_FROM]->(:Turn)-[:PART_OF]->(s:Session)
  RETURN collect(DISTINCT s.id) AS speaks
}
CALL (g) {
  MATCH (m:Memory)
  WHERE m.space = $space AND m.subject IN g.keys AND m.slot IS NOT NULL AND m.status IN ['active', 'superseded']
  RETURN collect({
    subject: m.subject, slot: m.slot, value: m.value, single: m.single, negated: m.negated, valid_from: m.valid_from,
    valid_to: m.valid_to, of: true
  })[..$facts] AS facts
}
CALL (g) {
  MATCH (e:Entity)
  WHERE e.space = $space AND e.key IN g.keys
  MATCH (e)-[:NOT_SAME_AS]-(o:Entity)
  RETURN collect(o.key) + collect(head([(o)-[:ALIAS_OF]->(c:Entity) | c.key])) AS parted
}
CALL (g) {
  MATCH (e:Entity)
  WHERE e.space = $space AND e.key IN g.keys
  MATCH (e)<-[mine:CHANGED]-(b:BeliefChange {kind: 'names_merge'})-[theirs:CHANGED]->(o:Entity)
  WHERE b.undone_at IS NOT NULL AND mine.role IN ['alias', 'canonical'] AND theirs.role IN ['alias', 'canonical']
  WITH o, b.undone_by IS NULL AS by_person, head([(o)-[:ALIAS_OF]->(c:Entity) | c.key]) AS canonical
  RETURN
    collect(CASE WHEN by_person THEN o.key END) + collect(CASE WHEN by_person THEN canonical END) AS undone,
    collect(CASE WHEN NOT by_person THEN o.key END) + collect(CASE WHEN NOT by_person THEN canonical END) AS doubted
}
RETURN
  g.key AS key,
  neighbours,
  sessions,
  speaks,
  [
    m IN memories
    WHERE m.source_tag = 'external_user' AND (m.content CONTAINS 'my ' OR m.content CONTAINS 'My ') |
    {speaker: m.speaker, text: m.content}
  ] AS introduced,
  facts + [
    m IN memories
    WHERE m.category = 'relationship' AND m.slot IS NOT NULL AND m.status = 'active' AND NOT coalesce(m.negated, false) |
    {subject: m.subject, slot: m.slot, value: m.value, single: m.single, of: false}
  ] AS facts,
  parted + undone AS distinct,
  doubted
