CYPHER 25
// What a new fact is compared with: the same words about the same subject, what is held of the same attribute of the
// same subject, whatever name it goes by, and what is near. Of the replaced facts of the attribute only those that were
// drawn from the same turns, or ended after the new one began.
// $space: string, whose
// $hash: string, the new fact's content hash, without episode
// $subject: string or null, the key of its subject
// $slot: string or null, the attribute
// $value: string or null, what it is; of many facts of the attribute those with this value come first
// $from: datetime, since when it holds
// $turns: list of strings, ids of the turns that it was drawn from
// $near: list of strings, ids of memories that are near
// $most: integer, most facts of the attribute that hold, and most that were replaced
// returns: the properties of engram.beliefs.facts.HeldFact but similarity, worded (boolean, whether it has the same words),
//   put_away_at (datetime, when a job archived it, or null), told (boolean, whether it rests on one of the turns), leaning (list of strings, ids of memories whose truth depends on
//   its: what it is in tension with, and what cites it), ascending by id
CALL () {
  OPTIONAL MATCH (alias:Entity)-[:ALIAS_OF]->(:Entity {space: $space, key: $subject})
  WHERE alias.space = $space
  RETURN collect(DISTINCT alias.key) AS aliases
}
CALL (aliases) {
  MATCH (m:Memory {space: $space})
  WHERE m.content_hash STARTS WITH $hash
  RETURN m
  UNION
  UNWIND aliases + [$subject] AS subject
  MATCH (m:Memory {space: $space, subject: subject, slot: $slot})
  WHERE m.status = 'active'
  RETURN m ORDER BY coalesce(toLower(m.value) = toLower($value), false) DESC, m.valid_from DESC, m.id LIMIT $most
  UNION
  UNWIND aliases + [$subject] AS subject
  MATCH (m:Memory {space: $space, subject: subject, slot: $slot})
  WHERE m.status = 'superseded' AND m.valid_to > $from
  RETURN m ORDER BY coalesce(toLower(m.value) = toLower($value), false) DESC, m.valid_from, m.id LIMIT $most
  UNION
  UNWIND aliases + [$subject] AS subject
  MATCH (m:Memory {space: $space, subject: subject, slot: $slot})
  WHERE EXISTS {
    MATCH (m)-[:DERIVED_FROM]->(t:Turn)
    WHERE t.space = $space AND t.id IN $turns
  }
  RETURN m
  UNION
  UNWIND $near AS id
  MATCH (m:Memory {id: id})
  WHERE m.space = $space
  RETURN m
}
WITH DISTINCT m
RETURN
  m.id AS id, m.content AS content, m.category AS category, m.subject AS subject, m.slot AS slot, m.value AS value,
  coalesce(m.single, false) AS single, coalesce(m.negated, false) AS negated, m.speaker AS speaker,
  m.source_tag AS source_tag, m.status AS status, coalesce(m.immutable, false) AS immutable, m.event_at AS event_at,
  m.valid_from AS valid_from, m.valid_to AS valid_to,
  m.truth_alpha / (m.truth_alpha + m.truth_beta) AS truth,
  COLLECT { MATCH (m)-[r:MENTIONS]->(e:Entity) WHERE e.space = $space AND r.role = 'named' RETURN e.key ORDER BY e.key } AS entities,
  m.content_hash STARTS WITH $hash AS worded,
  m.archived_at AS put_away_at,
  EXISTS {
    MATCH (m)-[:DERIVED_FROM]->(t:Turn)
    WHERE t.space = $space AND t.id IN $turns
  } AS told,
  COLLECT {
    MATCH (m)-[:IN_TENSION_WITH]-(x:Memory)
    WHERE x.space = $space
    RETURN x.id
    UNION
    MATCH (m)<-[:DERIVED_FROM]-{1, 3}(x:Memory)
    WHERE x.space = $space
    RETURN x.id
  } AS leaning
ORDER BY id
