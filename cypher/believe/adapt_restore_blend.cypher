CYPHER 25
// Let a space's blend of relevance be again what it was at a version, and keep that as one more change.
// $space: string, whose
// $version: integer, the version
// $offsets: list of floats, what outcomes had added to each alpha then
// $now: datetime, when
// returns: one row: restored (boolean, false where it is that already)
// Running it twice: the second run finds it restored and changes nothing.
MATCH (b:RelevanceBlend {space: $space})
SET b._lock = true
REMOVE b._lock
WITH b
CALL (b) {
  WITH b
  WHERE b.offsets <> $offsets
  CREATE (b)-[:CHANGED]->(:BlendChange {
    space: $space,
    at: $now,
    component: 'restored',
    amount: 0.0,
    before: b.offsets,
    after: $offsets,
    useful: true,
    recall: '',
    restored: $version
  })
  SET b.offsets = $offsets
  RETURN count(*) AS changed
}
RETURN changed > 0 AS restored
