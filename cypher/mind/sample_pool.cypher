CYPHER 25
// A pool for a wandering mind: so many memories from a random place in the space, with what makes each worth a thought.
// Ids are random, so those behind a random one are a random sample, which the index on space and id gives without a look
// at any other; whoever draws from the pool does so by the four leanings (v4 plan, 4.7).
// $space: string, whose
// $after: string, a random id
// $limit: integer, memories
// $selves: list of strings, keys of the names that the agent goes by
// returns: id, content, speaker (strings), kind, source_tag (strings), weight (0 to 1, the centre of its Beta), used_at, event_at
//   (datetimes), disputed (integer, unresolved tensions), about_self (boolean), ascending by id from $after on, then from
//   the beginning
CALL () {
  MATCH (m:Memory)
  WHERE m.space = $space AND m.id > $after
  RETURN m, 0 AS part ORDER BY m.space, m.id LIMIT $limit
  UNION ALL
  MATCH (m:Memory)
  WHERE m.space = $space AND m.id <= $after
  RETURN m, 1 AS part ORDER BY m.space, m.id LIMIT $limit
}
WITH m, part ORDER BY part, m.id LIMIT $limit
WHERE m.status IN ['active', 'dormant']
RETURN
  m.id AS id,
  m.content AS content,
  m.speaker AS speaker,
  m.kind AS kind,
  m.source_tag AS source_tag,
  m.weight_alpha / (m.weight_alpha + m.weight_beta) AS weight,
  m.last_accessed_at AS used_at,
  m.event_at AS event_at,
  COUNT {
    MATCH (m)-[t:IN_TENSION_WITH]-(other:Memory)
    WHERE other.space = $space AND t.state IN ['open', 'acknowledged']
  } AS disputed,
  m.immutable OR EXISTS {
    MATCH (m)-[:MENTIONS]->(e:Entity)
    WHERE e.space = $space AND e.key IN $selves
  } AS about_self
