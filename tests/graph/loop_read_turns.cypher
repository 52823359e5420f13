CYPHER 25
// Every raw turn of a space, and what became of it.
// $space: string, whose
// returns: id, session, speaker, text, source, at, entries (list of maps: the properties of its lines in the scratch
//   buffer), memories (list of strings: ids of the memories with its words)
MATCH (t:Turn)
WHERE t.space = $space AND t.id > '' // so that the index serves it
CALL (t) {
  OPTIONAL MATCH (t)<-[:HEARD_AS]-(e:ScratchEntry)
  RETURN collect(e {.*}) AS entries
}
CALL (t) {
  OPTIONAL MATCH (t)<-[:DERIVED_FROM]-(m:Memory:Episodic)
  WHERE m.content = t.text
  RETURN collect(m.id) AS memories
}
CALL (t) {
  OPTIONAL MATCH (t)-[:PART_OF]->(s:Session)
  RETURN collect(s.id)[0] AS session
}
RETURN
  t.id AS id,
  session,
  t.speaker AS speaker,
  t.text AS text,
  t.source AS source,
  t.at AS at,
  entries,
  memories
ORDER BY at, id
