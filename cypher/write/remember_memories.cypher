CYPHER 25
// Store memories, each once: what is there already is returned as it is.
// A bare remember (reopen) of something that is no longer active, or active and of another time, opens a new validity
// episode (Boston, Berlin, Boston again); a turn of a conversation is the same memory for ever.
// MERGE on the unique (space, content_hash) takes the lock, so two writers of one content store one.
// $space: string, whose
// $rows: list of maps, sorted by content_hash so that writers lock in one order:
//   index (integer, the caller's), id, content_hash (without episode), reopen (boolean),
//   tombstones (list of hashes that forbid it), label (the kind's), embedding (list of floats),
//   properties (map, what a new memory has beside $shared)
// $shared: map, properties that all new memories of the batch have. Where known_at or valid_from is in
//   neither, it is event_at: a batch of turns sends thousands of times fewer
// $hashes: list of strings, all rows' tombstones
// $generation: integer, of the vectors: which model made them, and when it came into use
// $now: datetime, when
// returns: index, outcome ('stored', 'seen' or 'erased'), id (null where erased), memory (map, of a bare
//   remember only; null where erased)
// Running it twice: the second run stores nothing; a bare remember counts in seen_count.
CALL () {
  UNWIND $hashes AS hash
  MATCH (tombstone:Tombstone {space: $space, content_hash: hash})
  RETURN collect(tombstone.content_hash) AS barred
}
CALL () {
  // A reindex is under way, or is over and this writer still makes vectors of the model before: who makes those of the
  // other model finds these by embed_due. What is not in its slot any more is not written there.
  OPTIONAL MATCH (s:EngramSchema {id: 'engram'})
  WITH s, coalesce(s.generation, 0) = $generation AS current
  RETURN
    NOT current OR coalesce(s.other_state IN ['filling', 'returning'], false) AS due,
    current OR coalesce(s.other_generation = $generation, false) AS kept
}
UNWIND $rows AS row
WITH row, due, kept, any(hash IN row.tombstones WHERE hash IN barred) AS erased
CALL (row) {
  OPTIONAL MATCH (prior:Memory {space: $space})
  WHERE prior.content_hash STARTS WITH row.content_hash
  WITH prior, prior.status = 'active'
    AND prior.valid_from < coalesce(row.properties.valid_to, $shared.valid_to)
    AND coalesce(
      row.properties.valid_from, $shared.valid_from, row.properties.event_at, $shared.event_at
    ) < prior.valid_to AS holds
  ORDER BY holds DESC, prior.status = 'active' DESC, prior.episode DESC
  WITH collect(holds)[0] AS holds, collect(prior.episode)[0] AS episode, max(prior.episode) AS last
  RETURN
    CASE
      WHEN last IS NULL THEN 0
      WHEN row.reopen AND NOT holds THEN last + 1
      ELSE episode
    END AS episode
}
CALL (row, due, kept, erased, episode) {
  WHEN erased THEN {
    RETURN 'erased' AS outcome, null AS id, null AS memory
  }
  ELSE {
    MERGE (m:Memory {space: $space, content_hash: row.content_hash + '-' + toString(episode)})
      ON CREATE SET
        m += $shared,
        m += row.properties,
        m.known_at = coalesce(m.known_at, m.event_at),
        m.valid_from = coalesce(m.valid_from, m.event_at),
        m:$(row.label),
        m.id = row.id,
        m.episode = episode,
        m.embed_due = CASE WHEN due THEN true END
    WITH row, m, kept, m.id = row.id AS created
    CALL (row, m, kept, created) {
      WHEN created AND kept THEN {
        CALL db.create.setNodeVectorProperty(m, 'embedding', row.embedding)
      }
      // Only here is something written that was there before: a bare remember is a batch of one, so
      // nothing locks memories out of order.
      WHEN row.reopen AND NOT created THEN {
        SET
          m.seen_count = m.seen_count + 1,
          m.last_seen_at = $now
      }
    }
    RETURN
      CASE WHEN created THEN 'stored' ELSE 'seen' END AS outcome,
      m.id AS id,
      CASE WHEN row.reopen THEN m {.*, embedding: null, embedding_b: null} END AS memory
  }
}
RETURN row.index AS index, outcome, id, memory
