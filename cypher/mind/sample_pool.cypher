CYPHER 25
// A pool for a wandering mind: so many memories from a random place in the space, with what makes each worth a thought.
// Ids are random, so those behind a random one are a random sample, which the index on space and id gives without a look
// at any other; whoever draws from the pool does so by the four leanings (v4 plan, 4.7).
// $space: string, whose
// $after: string, a random id
// $limit: integer, memories
// $selves: list of strings, keys of the names that the agent goes by
// $own: list of strings, source tags of what the agent thought or said: it does not come to mind by itself
// $now: datetime, when
// returns: one row: pool (list of lists: id, weight (0 to 1, the centre of its Beta), when it was used last and when it
//   happened (milliseconds since 1970: hundreds of times make Python objects only where they are read), disputed (integer,
//   unresolved tensions), about_self (boolean), present (boolean: it has not left the working set)), ascending by id from
//   $after on, then from the beginning
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
WHERE m.status IN ['active', 'dormant'] AND NOT m.source_tag IN $own
RETURN collect([
  m.id,
  m.weight_alpha / (m.weight_alpha + m.weight_beta),
  m.last_accessed_at.epochMillis,
  m.event_at.epochMillis,
  COUNT {
    MATCH (m)-[t:IN_TENSION_WITH]-(other:Memory)
    WHERE other.space = $space AND t.state IN ['open', 'acknowledged']
  },
  m.immutable OR EXISTS {
    MATCH (m)-[:MENTIONS]->(e:Entity)
    WHERE e.space = $space AND e.key IN $selves
  },
  NOT (m.tier = 'working' AND m.expires_at <= $now)
]) AS pool
