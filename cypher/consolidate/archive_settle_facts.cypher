CYPHER 25
// Write what the policy has decided of memories, where nothing that it was decided on has changed meanwhile.
// $space: string, whose
// $rows: list of maps, ascending by id: id, seen (map of the properties decided on), properties (map to write; null
//   removes), revised (integer, what the version gains: 1 where the status changes)
// returns: one row: changed (integer, memories), archived (integer), restored (integer), examples (list of maps
//   {id, content, state, because (why it was archived or restored, or null)}: those first, five at most)
// Running it twice: the second run finds other properties than those decided on and changes nothing.
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
WHERE m.space = $space
SET m._lock = true
REMOVE m._lock
WITH collect({memory: m, row: row}) AS locked
UNWIND locked AS each
WITH each.memory AS m, each.row AS row
WHERE all(key IN keys(row.seen) WHERE coalesce(m[key] = row.seen[key], m[key] IS NULL AND row.seen[key] IS NULL))
SET m += row.properties
SET m.version = m.version + row.revised
WITH m, row,
  CASE WHEN row.revised = 1 AND m.status = 'archived' THEN m.archive_reason END AS archived,
  row.revised = 1 AND m.status = 'active' AS restored
ORDER BY row.revised DESC, m.id
RETURN
  count(m) AS changed,
  count(archived) AS archived,
  sum(CASE WHEN restored THEN 1 ELSE 0 END) AS restored,
  collect({
    id: m.id,
    content: left(m.content, 60),
    state: m.lifecycle_state,
    because: coalesce(archived, CASE WHEN restored THEN 'of value again' END)
  })[..5] AS examples
