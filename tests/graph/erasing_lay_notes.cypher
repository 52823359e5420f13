CYPHER 25
// One node of each of some labels that holds words wherever that label has some, and relationships that do to the next.
// $space: string, whose
// $rows: list of maps {label, held (map of properties)}
// $words: string
// $now: datetime
UNWIND range(0, size($rows) - 1) AS place
CREATE (n:$($rows[place].label) {
  space: $space, id: $space + '-' + place, key: 'laid ' + place, state: 'kept', kind: 'laid', month: '2026-01', version: 1,
  week: '2026-01', at: $now, asked_at: $now, first_at: $now, started_at: $now, lease_until: $now, due: $now, session: 'laid',
  note: 'laid'
})
SET n += $rows[place].held
WITH collect(n) AS nodes
UNWIND range(0, size(nodes) - 1) AS place
WITH nodes[place] AS a, nodes[(place + 1) % size(nodes)] AS b
CREATE (a)-[:CHANGED {reason: 'because of ' + $words, role: 'laid'}]->(b)
