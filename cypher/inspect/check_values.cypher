CYPHER 25
// Memories of one batch whose properties cannot be as they are. What is missing is check_properties' to say.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// $tiers: list of strings, in order
// $statuses: list of strings
// $kinds: list of strings; a kind's label is the same word with a capital
// $kept: integer, access times that a memory keeps at most
// returns: one row: last (string, id of the last memory looked at; null when there was none), found (list of maps
//   {check, broken, examples (ids, five at most)})
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
WITH batch, datetime.realtime() + duration({minutes: 1}) AS soon
CALL (batch, soon) {
  UNWIND batch AS m
  WITH m, soon,
    [name IN ['due_tier', 'promote_due_at', 'promote_times', 'promote_energies'] WHERE m[name] IS NOT NULL] AS due,
    head([place IN range(0, size($tiers) - 1) WHERE $tiers[place] = m.due_tier])
      - head([place IN range(0, size($tiers) - 1) WHERE $tiers[place] = m.tier]) AS steps
  UNWIND [
    CASE WHEN NOT m.tier IN $tiers THEN 'tier' END,
    CASE WHEN NOT m.status IN $statuses THEN 'status' END,
    CASE
      WHEN m.kind IS NOT NULL
        AND [label IN labels(m) WHERE toLower(label) IN $kinds | toLower(label)] <> [m.kind]
      THEN 'kind'
    END,
    CASE WHEN NOT (m.energy >= 0.0 AND m.energy < INF) THEN 'energy' END,
    CASE
      WHEN NOT all(
        evidence IN [m.weight_alpha, m.weight_beta, m.truth_alpha, m.truth_beta]
        WHERE evidence > 0.0 AND evidence < INF
      ) THEN 'weights'
    END,
    CASE
      WHEN m.access_count < size(m.accessed_at) OR size(m.accessed_at) > $kept THEN 'uses'
    END,
    // What was replaced before it ever came to hold has an end before its beginning.
    CASE WHEN m.valid_from >= m.valid_to AND m.status <> 'superseded' THEN 'validity' END,
    CASE
      WHEN size(due) > 0 AND NOT coalesce(
        size(due) = 4 AND steps > 0 AND steps = size(m.promote_times) AND steps = size(m.promote_energies), false
      ) THEN 'promotion'
    END,
    CASE WHEN m.energy_at > soon OR m.last_accessed_at > soon THEN 'times ahead' END,
    CASE WHEN any(name IN keys(m) WHERE name STARTS WITH '_') THEN 'scratch' END
  ] AS check
  WITH m, check
  WHERE check IS NOT NULL
  WITH check, collect(m.id) AS ids
  RETURN collect({check: check, broken: size(ids), examples: ids[..5]}) AS found
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, found
