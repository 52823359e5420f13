CYPHER 25
// What the gates have decided about entries of the scratch buffer and nobody has noted yet.
// $space: string, whose
// $skip: integer, how many to leave out (a dry run has seen them)
// $limit: integer, entries at most
// returns: entry (map {id, state, text, signals, action, reason, novelty, memory, at}), in the order of ids
MATCH (e:ScratchEntry)
WHERE e.space = $space AND e.state IN ['decided', 'skipped'] AND e.outcome_noted IS NULL
WITH e ORDER BY e.id SKIP $skip LIMIT $limit
RETURN e {
  .id,
  .state,
  .text,
  .signals,
  .action,
  .reason,
  .novelty,
  .memory,
  at: coalesce(e.decided_at, e.heard_at)
} AS entry
ORDER BY entry.id
