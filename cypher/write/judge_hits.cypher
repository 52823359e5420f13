CYPHER 25
// Note whether what a recall returned was of use, and lock the blend that learns from it.
// $space: string, whose
// $recall: string, the recall's id
// $ids: list of strings, the memories judged; null judges all that came back
// $useful: boolean, the verdict
// $now: datetime, when
// returns: one row: judged (integer), lifts (list of lists of 5 floats, of the hits whose verdict is new),
//   experience, offsets (of the blend)
// Running it twice: the second run finds the same verdict and has no lifts.
MERGE (b:RelevanceBlend {space: $space})
  ON CREATE SET
    b.experience = 0.0,
    b.offsets = [0.0, 0.0, 0.0, 0.0, 0.0]
SET b._lock = true
REMOVE b._lock
WITH b
CALL () {
  MATCH (r:Recall {id: $recall})-[returned:RETURNED]->(m:Memory)
  WHERE r.space = $space AND ($ids IS NULL OR m.id IN $ids)
  WITH returned, coalesce(returned.useful <> $useful, true) AS changed
  SET
    returned.useful = $useful,
    returned.judged_at = $now
  RETURN
    count(*) AS judged,
    collect(CASE WHEN changed THEN returned.lift END) AS lifts
}
RETURN judged, lifts, b.experience AS experience, b.offsets AS offsets
