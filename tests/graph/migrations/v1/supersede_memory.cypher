CYPHER 25
// Let a newer memory replace an older one: the older stays, closed at the newer one's beginning.
// Both were locked and checked in the same transaction.
// $space: string, whose
// $old: string, id of the memory that no longer holds
// $new: string, id of the memory that does
// $valid_to: datetime, when the old one ceased to hold
// $reason: string, why
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
    old.status = 'superseded',
    old.valid_to = $valid_to,
    old.version = old.version + 1
RETURN old {.*, embedding: null} AS memory
