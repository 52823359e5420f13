CYPHER 25
// Let a newer memory replace an older one: the older stays, closed at the newer one's beginning.
// Both were locked in the same transaction, and checked.
// $space: string, whose
// $old: string, id of the memory that no longer holds
// $new: string, id of the memory that does
// $valid_to: datetime, when the old one ceased to hold
// $closed_at: datetime, since when nobody believed the old one: asked for an earlier day, recall still answers with it
// $reason: string, why
// $correction: boolean, whether the old one never held; else it held until then
// $by: string, who or what decided
// $now: datetime, when it was decided
// returns: memory (map), the old one as it is now
// Running it twice: the relationship and the old memory's end stay as they were.
MATCH (old:Memory {id: $old})
WHERE old.space = $space
MATCH (new:Memory {id: $new})
WHERE new.space = $space
MERGE (new)-[s:SUPERSEDES]->(old)
  ON CREATE SET
    s.at = $now,
    s.reason = $reason,
    s.by = $by,
    s.correction = $correction,
    old.status = 'superseded',
    old.valid_to_before = old.valid_to,
    old.valid_to = $valid_to,
    old.closed_at = $closed_at,
    old.version = old.version + 1
RETURN old {.*, embedding: null, embedding_b: null} AS memory
