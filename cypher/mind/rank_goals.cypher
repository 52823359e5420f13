CYPHER 25
// Recompute how much each goal of a space presses: recency · mention · tractability · connections (DMN algorithms, 1).
// What incubates presses like what is active: it stays in replay. What waits for somebody else can not be acted on, so
// its tractability counts as 0. What is done, dropped or only proposed presses not at all.
// They are locked in ascending id first. Two goals are connected where both are about the same, under whatever names.
// $space: string, whose
// $rates: map {recency_days, mention_hours, mention_boost, connection}: when 1/e is left of recency and of a mention, what
//   a mention adds at once, and what each connected active goal adds (engram.mind.priority)
// $now: datetime, when
// returns: id (string), priority, recency, mention, tractability, connections (floats), connected (integer), the most
//   pressing first
// Running it twice: the second run at the same time changes nothing.
MATCH (g:Goal)
WHERE g.space = $space AND g.state IN ['active', 'incubating', 'blocked']
WITH g ORDER BY g.id
SET g._lock = true
REMOVE g._lock
WITH collect(g) AS goals
UNWIND goals AS g
WITH g, COUNT {
  MATCH (g)-[:ABOUT]->(e:Entity)-[:ALIAS_OF]->{0,1}(:Entity)<-[:ALIAS_OF]-{0,1}(:Entity)<-[:ABOUT]-(other:Goal)
  WHERE e.space = $space AND other.space = $space AND other.state = 'active' AND other <> g
  RETURN DISTINCT other
} AS connected
WITH g, connected,
  ($now.epochSeconds - coalesce(g.active_at, g.changed_at).epochSeconds) / 86400.0 AS days,
  ($now.epochSeconds - g.mentioned_at.epochSeconds) / 3600.0 AS hours
WITH g, connected,
  exp(-CASE WHEN days > 0.0 THEN days ELSE 0.0 END / $rates.recency_days) AS recency,
  1.0 + CASE
    WHEN hours IS NULL THEN 0.0
    ELSE $rates.mention_boost * exp(-CASE WHEN hours > 0.0 THEN hours ELSE 0.0 END / $rates.mention_hours)
  END AS mention,
  CASE g.state WHEN 'blocked' THEN 0.0 ELSE coalesce(g.tractability, 0.5) END AS tractability,
  1.0 + $rates.connection * connected AS connections
WITH g, connected, recency, mention, tractability, connections,
  recency * mention * tractability * connections AS priority
SET
  g.priority = priority,
  g.ranked_at = $now
RETURN g.id AS id, priority, recency, mention, tractability, connections, connected
ORDER BY priority DESC, id
