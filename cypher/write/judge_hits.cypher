CYPHER 25
// Note whether what a recall returned was of use: the verdict stays with it, and the blend, which learns from it next,
// is locked. What the memories gain or lose by it is returned, for write/move_weights in the same transaction: a changed
// verdict takes back what of the earlier one is in the weights. Memories are locked first, in ascending id.
// $space: string, whose
// $recall: string, the recall's id
// $ids: list of strings, the memories judged; null judges all that came back
// $useful: boolean, the verdict
// $reinforce: float, what being of use says for a memory
// $contradict: float, what being of none says against it
// $now: datetime, when
// returns: one row: judged (integer), lifts (list of lists of 5 floats, of the hits whose verdict is new),
//   steps (list of maps {id, alpha, beta}, of the memories whose verdict is new), experience, offsets (of the blend)
// Running it twice: the second run finds the same verdict and has neither lifts nor steps.
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
    // A verdict from before these were kept is in the weights in full.
    coalesce(hit.returned.weight_for, CASE WHEN hit.returned.useful THEN $reinforce ELSE 0.0 END) AS for,
    coalesce(hit.returned.weight_against, CASE WHEN NOT hit.returned.useful THEN $contradict ELSE 0.0 END) AS against
  SET
    returned.useful = $useful,
    returned.judged_at = $now,
    returned.weight_for = for,
    returned.weight_against = against
  RETURN
    count(*) AS judged,
    collect(CASE WHEN changed THEN returned.lift END) AS lifts,
    collect(CASE
      WHEN changed AND NOT m.immutable THEN {
        id: m.id,
        alpha: CASE WHEN $useful THEN $reinforce ELSE 0.0 END - for,
        beta: CASE WHEN $useful THEN 0.0 ELSE $contradict END - against
      }
    END) AS steps
}
MERGE (b:RelevanceBlend {space: $space})
  ON CREATE SET
    b.experience = 0.0,
    b.offsets = [0.0, 0.0, 0.0, 0.0, 0.0]
SET b._lock = true
REMOVE b._lock
RETURN judged, lifts, steps, b.experience AS experience, b.offsets AS offsets
