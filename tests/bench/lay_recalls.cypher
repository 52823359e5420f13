CYPHER 25
// Lay records of recalls.
// $space: string, whose
// $rows: list of maps {id, returned (list of ids, best first)}
// $at: datetime, when they were
UNWIND $rows AS row
CREATE (r:Recall {id: row.id, space: $space, at: $at, mode: 'search', k: size(row.returned), hops: 1, active: true})
WITH r, row
UNWIND range(0, size(row.returned) - 1) AS place
MATCH (m:Memory {id: row.returned[place]})
CREATE (r)-[:RETURNED {rank: place + 1, score: 1.0 / (place + 1)}]->(m)
