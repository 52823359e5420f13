CYPHER 25
// The questions of recalls that were of no use: nothing came back, or all that was judged of it was of none.
// $space: string, whose
// $since: datetime, recalls after that
// $until: datetime, and up to then
// $limit: integer, recalls at most, the newest
// returns: query (string), at (datetime)
MATCH (r:Recall)
WHERE r.space = $space AND r.at > $since AND r.at <= $until
WITH r ORDER BY r.space DESC, r.at DESC, r.id
WHERE r.query IS NOT NULL
  AND (NOT EXISTS { (r)-[:RETURNED]->() } OR EXISTS {
    MATCH (r)-[x:RETURNED]->()
    WHERE x.useful = false
  })
  AND NOT EXISTS {
    MATCH (r)-[x:RETURNED]->()
    WHERE x.useful
  }
RETURN r.query AS query, r.at AS at
LIMIT $limit
