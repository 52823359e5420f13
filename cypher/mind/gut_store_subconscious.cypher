CYPHER 25
// Keep the centroid of all memories where a conversation reads it once: on the space's manifest, which is made if no loop
// has run there yet.
// $space: string, whose
// $vector: list of floats, of unit length
// $model: string, the embedding model of the vectors that it is the centroid of
// $now: datetime, when
// returns: one row: changed (integer, 0 where it stood there)
// Running it twice: the second run finds the same centroid and changes nothing.
MERGE (a:AgentManifest {space: $space})
  ON CREATE SET
    a.created_at = $now,
    a.restarts = 0,
    a.uptime_hours = 0.0
SET a._lock = true
REMOVE a._lock
WITH a
CALL (a) {
  WITH a
  WHERE a.subconscious_l2 IS NULL OR a.subconscious_model <> $model OR a.subconscious_l2 <> $vector
  SET
    a.subconscious_l2 = $vector,
    a.subconscious_model = $model,
    a.subconscious_at = $now
  RETURN count(*) AS changed
}
RETURN changed
