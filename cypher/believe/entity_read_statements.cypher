CYPHER 25
// What people said in which some names occur and two names may be said to be one, and the facts that say what a subject is
// called.
// $space: string, whose
// $keys: list of strings, keys of the entities
// $cues: list of strings, one of which stands in every such text
// $slots: list of strings, slots whose value is another name of the subject
// $read: integer, mentions of each name that are looked at
// $limit: integer, texts and facts at most, of each
// returns: id (string), text, speaker (strings or null), subject, slot, value (strings or null; of a fact)
CALL () {
  MATCH (e:Entity)
  WHERE e.space = $space AND e.key IN $keys
  CALL (e) {
    MATCH (e)<-[:MENTIONS {role: 'named'}]-(m:Memory)
    RETURN m
    LIMIT $read
  }
  WITH DISTINCT m
  WHERE m.source_tag = 'external_user'
    AND m.status = 'active'
    AND m.slot IS NULL
    AND any(cue IN $cues WHERE m.content CONTAINS cue)
  RETURN m.id AS id, m.content AS text, m.speaker AS speaker, null AS subject, null AS slot, null AS value
  ORDER BY id
  LIMIT $limit
  UNION ALL
  MATCH (m:Memory)
  WHERE m.space = $space AND m.subject IN $keys AND m.slot IN $slots
    AND m.source_tag = 'external_user' AND m.status = 'active' AND NOT coalesce(m.negated, false)
  RETURN m.id AS id, null AS text, m.speaker AS speaker, m.subject AS subject, m.slot AS slot,
    m.value AS value
  ORDER BY id
  LIMIT $limit
}
RETURN id, text, speaker, subject, slot, value
