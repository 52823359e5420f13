CYPHER 25
// Note whether what a recall returned was of use: the verdict stays with it, the memories gain or lose weight,
// and the blend, which learns from it next, is locked. Memories are locked first, in ascending id.
// A changed verdict takes back what the earlier one did.
// $space: string, whose
// $recall: string, the recall's id
// $ids: list of strings, the memories judged; null judges all that came back
// $useful: boolean, the verdict
// $reinforce: float, what being of use adds to weight_alpha
// $contradict: float, what being of none adds to weight_beta
// $now: datetime, when
// returns: one row: judged (integer), lifts (list of lists of 5 floats, of the hits whose verdict is new),
//   experience, offsets (of the blend)
// Running it twice: the second run finds the same verdict and has no lifts.
CALL () {
  MATCH (r:Recall {id: $recall})-[returned:RETURNED]->(m:Memory)
  WHERE r.space = $space AND ($ids IS NULL OR m.id IN $ids)
  WITH returned, m ORDER BY m.id
  SET m._lock = true
  REMOVE m._lock
  WITH collect({returned: returned, memory: m}) AS hits
  UNWIND hits AS hit
  WITH
    hit.returned AS returned,
    hit.memory AS m,
    coalesce(hit.returned.useful <> $useful, true) AS changed,
    hit.returned.useful IS NOT NULL AS judged_before
  SET
    m.weight_alpha = m.weight_alpha + CASE
      WHEN m.immutable OR NOT changed THEN 0.0
      WHEN $useful THEN $reinforce
      WHEN judged_before THEN -$reinforce
      ELSE 0.0
    END,
    m.weight_beta = m.weight_beta + CASE
      WHEN m.immutable OR NOT changed THEN 0.0
      WHEN NOT $useful THEN $contradict
      WHEN judged_before THEN -$contradict
      ELSE 0.0
    END,
    returned.useful = $useful,
    returned.judged_at = $now
  RETURN
    count(*) AS judged,
    collect(CASE WHEN changed THEN returned.lift END) AS lifts
}
MERGE (b:RelevanceBlend {space: $space})
  ON CREATE SET
    b.experience = 0.0,
    b.offsets = [0.0, 0.0, 0.0, 0.0, 0.0]
SET b._lock = true
REMOVE b._lock
RETURN judged, lifts, b.experience AS experience, b.offsets AS offsets
