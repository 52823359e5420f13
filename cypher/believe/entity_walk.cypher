CYPHER 25
// One batch of the names of a space, with what says whether there is something new about them.
// $space: string, whose
// $after: string, key after which the batch begins
// $batch_size: integer, how many at most
// returns: one row: last (string, the last key; null where there was none), names (list of maps {key, name, canonical
//   (string or null), mentions (integer), examined (integer, mentions at the last look), summed (integer or null, mentions
//   of the whole group at its last summary), stale (boolean, whether what its summary cites has ended), merge (map
//   {change (id), run (id of the job's run or null), said (boolean, whether somebody said that they are one)} of what made
//   it an alias; null where it is none)})
MATCH (e:Entity)
WHERE e.space = $space AND e.key > $after
WITH e ORDER BY e.space, e.key LIMIT $batch_size
WITH collect(e) AS batch
RETURN
  batch[-1].key AS last,
  [e IN batch | {
    key: e.key,
    name: e.name,
    canonical: head([(e)-[:ALIAS_OF]->(c:Entity) | c.key]),
    mentions: count { (e)<-[:MENTIONS]-() },
    examined: coalesce(e.examined, 0),
    summed: e.summary_mentions,
    stale: e.summary_of IS NOT NULL AND size(e.summary_of) > count {
      UNWIND e.summary_of AS id
      MATCH (m:Memory {id: id})
      WHERE m.space = $space AND m.status = 'active'
      RETURN m
    },
    merge: head(COLLECT {
      MATCH (c:Entity)<-[r:ALIAS_OF]-(e)<-[:CHANGED {role: 'alias'}]-(b:BeliefChange)
      WHERE b.space = $space AND b.kind = 'names_merge' AND b.undone_at IS NULL
      WITH r, b ORDER BY b.at DESC, b.id LIMIT 1
      RETURN {change: b.id, run: b.run, said: r.evidence IS NOT NULL}
    })
  }] AS names
