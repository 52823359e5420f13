// Memories in two spaces with vectors, times and relationships: what a backup must bring back to the last bit.
UNWIND range(1, 400) AS number
CREATE (m:Memory:Semantic {
  id: 'm' + number, space: 'space-' + (number % 2), content: 'Über ' + number + ' bicycles 🚲', energy: number / 7.0,
  created_at: datetime('2026-11-21T12:00:00.123456789Z') + duration({hours: number}),
  accessed_at: [datetime('2026-01-01T00:00:00Z')]
})
WITH m, number
CALL db.create.setNodeVectorProperty(m, 'embedding', [position IN range(1, 384) | sin(number * position)])
WITH collect(m) AS memories
FOREACH (position IN range(0, 398) |
  FOREACH (m IN [memories[position]] | FOREACH (next IN [memories[position + 1]] |
    CREATE (m)-[:FOLLOWS {strength: position / 3.0}]->(next))))
