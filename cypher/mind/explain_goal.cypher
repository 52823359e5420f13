CYPHER 25
// What one goal hangs together with: what it is about, what else is about that, and what replay connected it to.
// $space: string, whose
// $id: string, the goal's
// $limit: integer, memories and connections at most
// returns: names (list of strings), related (list of maps {id, text, through}, other active goals that are about the
//   same), memories (list of maps {name, memory, content, at}, the newest that name the same), connections (list of maps
//   {strength, hops, memory, content, episode, topics, ended_at, at}, the strongest first)
MATCH (g:Goal {id: $id})
WHERE g.space = $space
CALL (g) {
  MATCH (g)-[:ABOUT]->(e:Entity)
  WHERE e.space = $space
  WITH e ORDER BY e.key
  RETURN collect(e) AS entities
}
CALL (g, entities) {
  UNWIND entities AS e
  // Under whatever names: two may have been taken for one since.
  MATCH (e)-[:ALIAS_OF]->{0,1}(:Entity)<-[:ALIAS_OF]-{0,1}(:Entity)<-[:ABOUT]-(other:Goal)
  WHERE other.space = $space AND other.state = 'active' AND other <> g
  WITH other, min(e.name) AS through ORDER BY other.id
  RETURN collect({id: other.id, text: other.text, through: through}) AS related
}
CALL (entities) {
  UNWIND entities AS e
  MATCH (e)-[:ALIAS_OF]->{0,1}(:Entity)<-[:ALIAS_OF]-{0,1}(:Entity)<-[:MENTIONS]-(m:Memory)
  WHERE m.space = $space AND m.status = 'active'
  WITH m, min(e.name) AS name ORDER BY m.event_at DESC, m.id LIMIT $limit
  RETURN collect({name: name, memory: m.id, content: m.content, at: m.event_at}) AS memories
}
CALL (g) {
  MATCH (k:Connection)-[:CONNECTS]->(g)
  MATCH (k)-[:CONNECTS]->(b:MemoryBox)
  WHERE k.space = $space AND b.space = $space
  WITH k, b ORDER BY k.strength DESC, k.at DESC, k.id LIMIT $limit
  OPTIONAL MATCH (m:Memory {id: k.memory})
  WHERE m.space = $space
  RETURN collect({
    strength: k.strength, hops: k.hops, memory: m.id, content: m.content, episode: b.id, topics: b.topics,
    ended_at: b.ended_at, at: k.at
  }) AS connections
}
RETURN [e IN entities | e.name] AS names, related, memories, connections
