CYPHER 25
// Store memories, each once: what is there already is returned as it is.
// A bare remember (reopen) of something that is no longer active opens a new validity episode
// (Boston, Berlin, Boston again); a turn of a conversation is the same memory for ever.
// MERGE on the unique (space, content_hash) takes the lock, so two writers of one content store one.
// $space: string, whose
// $rows: list of maps, sorted by content_hash so that writers lock in one order:
//   index (integer, the caller's), id, content_hash (without episode), reopen (boolean),
//   tombstones (list of hashes that forbid it), label (the kind's), embedding (list of floats),
//   properties (map, all others of a new memory)
// $now: datetime, when
// returns: index, outcome ('stored', 'seen' or 'erased'), memory (map, null where erased)
// Running it twice: the second run stores nothing; a bare remember counts in seen_count.
UNWIND $rows AS row
CALL (row) {
  OPTIONAL MATCH (tombstone:Tombstone {space: $space})
  WHERE tombstone.content_hash IN row.tombstones
  RETURN count(tombstone) > 0 AS erased
}
CALL (row) {
  OPTIONAL MATCH (prior:Memory {space: $space})
  WHERE prior.content_hash STARTS WITH row.content_hash
  WITH prior ORDER BY prior.episode DESC LIMIT 1
  RETURN
    CASE
      WHEN prior IS NULL THEN 0
      WHEN row.reopen AND prior.status <> 'active' THEN prior.episode + 1
      ELSE prior.episode
    END AS episode
}
CALL (row, erased, episode) {
  WHEN erased THEN {
    RETURN 'erased' AS outcome, null AS memory
  }
  ELSE {
    MERGE (m:Memory {space: $space, content_hash: row.content_hash + '-' + toString(episode)})
      ON CREATE SET
        m += row.properties,
        m:$(row.label),
        m.id = row.id,
        m.episode = episode
      ON MATCH SET
        m.seen_count = m.seen_count + CASE WHEN row.reopen THEN 1 ELSE 0 END,
        m.last_seen_at = CASE WHEN row.reopen THEN $now ELSE m.last_seen_at END
    WITH row, m, m.id = row.id AS created
    CALL (row, m, created) {
      WHEN created THEN {
        CALL db.create.setNodeVectorProperty(m, 'embedding', row.embedding)
      }
    }
    RETURN
      CASE WHEN created THEN 'stored' ELSE 'seen' END AS outcome,
      m {.*, embedding: null} AS memory
  }
}
RETURN row.index AS index, outcome, memory
