CYPHER 25
// List the newest thoughts, or those of one state or channel.
// $space: string, whose
// $state: string or null, of one state only
// $channel: string or null, of one channel only
// $since: datetime, the earliest
// $limit: integer, how many at most
// returns: id, at, text, leaning, channel, topic, state, entry, run, acted_at, weighed_at (datetimes or null), surfaced
//   (list of ids), goal (id or null); the newest first
MATCH (h:Thought)
WHERE
  h.space = $space AND h.at >= $since AND ($state IS NULL OR h.state = $state)
  AND ($channel IS NULL OR h.channel = $channel)
WITH h ORDER BY h.space DESC, h.at DESC, h.id LIMIT $limit
RETURN
  h.id AS id, h.at AS at, h.text AS text, h.leaning AS leaning, h.channel AS channel, h.topic AS topic, h.state AS state,
  h.entry AS entry, h.run AS run, h.acted_at AS acted_at, h.weighed_at AS weighed_at,
  COLLECT { MATCH (h)-[:SURFACED]->(m:Memory) WHERE m.space = $space RETURN m.id ORDER BY m.id } AS surfaced,
  COLLECT { MATCH (h)-[:ABOUT]->(g:Goal) WHERE g.space = $space RETURN g.id }[0] AS goal
ORDER BY at DESC, id
