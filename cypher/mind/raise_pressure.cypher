CYPHER 25
// Note that part of a conversation has left the model's window: that may have lost what nobody noted. It counts until the
// next consolidation.
// $space: string, whose
// $now: datetime, when
// returns: noted (integer)
// Running it twice: the later time stays.
MATCH (a:AgentManifest {space: $space})
SET a._lock = true
REMOVE a._lock
SET a.compacted_at = CASE WHEN a.compacted_at > $now THEN a.compacted_at ELSE $now END
RETURN count(a) AS noted
