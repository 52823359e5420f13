CYPHER 25
// Memories of one batch whose history does not fit: what replaced them, and the snapshots of the tiers they left.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// $forever: datetime, the open end of a validity
// returns: one row: last (string, id of the last memory looked at; null when there was none), found (list of maps
//   {check, broken, examples (ids, five at most)})
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
CALL (batch) {
  UNWIND batch AS m
  CALL (m) {
    OPTIONAL MATCH (m)<-[:PROMOTED_TO|CRYSTALLIZED_INTO]-+(a:Archived)
    WITH DISTINCT a ORDER BY a.tier
    RETURN collect(a.tier) AS left_tiers
  }
  UNWIND [
    CASE
      WHEN m.status = 'superseded' AND m.valid_to >= $forever
      THEN 'superseded'
    END,
    CASE
      WHEN m.status = 'superseded' AND NOT EXISTS { (m)<-[:SUPERSEDES]-(:Memory) }
      THEN 'successor'
    END,
    CASE
      WHEN any(place IN range(1, size(left_tiers) - 1) WHERE left_tiers[place] = left_tiers[place - 1])
      THEN 'double snapshot'
    END,
    CASE
      WHEN any(tier IN ['archivedShortTerm', 'archivedWorking'] WHERE tier IN left_tiers <> tier IN CASE m.tier
        WHEN 'working' THEN []
        WHEN 'shortTerm' THEN ['archivedWorking']
        WHEN 'longTerm' THEN ['archivedShortTerm', 'archivedWorking']
        ELSE left_tiers
      END) THEN 'snapshots'
    END
  ] AS check
  WITH m, check
  WHERE check IS NOT NULL
  WITH check, collect(m.id) AS ids
  RETURN collect({check: check, broken: size(ids), examples: ids[..5]}) AS found
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, found
