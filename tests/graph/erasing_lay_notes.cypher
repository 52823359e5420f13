CYPHER 25
// One node of each of some labels that holds words in a property that no code knows, and a relationship to the next that does.
// $space: string, whose
// $labels: list of strings
// $words: string
// $now: datetime
UNWIND range(0, size($labels) - 1) AS place
CREATE (n:$($labels[place]) {
  space: $space, id: $space + '-' + place, key: 'laid ' + place, state: 'kept', kind: 'laid', month: '2026-01', version: 1,
  week: '2026-01', at: $now, asked_at: $now, started_at: $now, lease_until: $now, due: $now, session: 'laid',
  note: 'somebody said ' + $words, notes: ['well', $words]
})
WITH collect(n) AS nodes
UNWIND range(0, size(nodes) - 1) AS place
WITH nodes[place] AS a, nodes[(place + 1) % size(nodes)] AS b
CREATE (a)-[:NOTED {why: 'because of ' + $words}]->(b)
