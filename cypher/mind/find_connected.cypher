CYPHER 25
// What has come up for goals that rest: for each, the strongest connection with an episode that began since.
// What led to its rest would connect it with itself, so it does not count.
// $space: string, whose
// $strength: float, 0 to 1: the least that is worth coming back for
// returns: goal (id), strength (0 to 1), content (string, of the memory that connects them; null where it is gone), at
//   (datetime, when the episode ended), by goal
MATCH (g:Goal)
WHERE g.space = $space AND g.state = 'incubating'
CALL (g) {
  MATCH (k:Connection)-[:CONNECTS]->(g)
  MATCH (k)-[:CONNECTS]->(b:MemoryBox)
  WHERE k.space = $space AND b.space = $space AND k.strength >= $strength AND b.started_at > g.incubating_since
  WITH k, b ORDER BY k.strength DESC, k.id LIMIT 1
  OPTIONAL MATCH (m:Memory {id: k.memory})
  WHERE m.space = $space
  RETURN k.strength AS strength, m.content AS content, b.ended_at AS at
}
RETURN g.id AS goal, strength, content, at
ORDER BY goal
