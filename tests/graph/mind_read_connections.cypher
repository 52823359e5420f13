CYPHER 25
// What connects goals and episodes.
// $space: string, whose
// returns: goal, episode (ids), strength, memory, hops, first_at, at, the strongest first
MATCH (b:MemoryBox)<-[:CONNECTS]-(k:Connection)-[:CONNECTS]->(g:Goal)
WHERE k.space = $space
RETURN g.id AS goal, b.id AS episode, k.strength AS strength, k.memory AS memory, k.hops AS hops, k.first_at AS first_at, k.at AS at
ORDER BY strength DESC, goal, episode
