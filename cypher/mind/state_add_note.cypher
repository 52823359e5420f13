CYPHER 25
// Let a memory be among the notes that wait for the next version of the working memory; the oldest give way where there
// are too many, and stay memories.
// $space: string, whose
// $id: string, the memory's
// $most: integer, notes that wait
// $now: datetime, when
// returns: waiting (integer, notes)
// Running it twice: it is there once.
MATCH (m:Memory {id: $id})
WHERE m.space = $space
MERGE (a:AgentManifest {space: $space})
  ON CREATE SET
    a.created_at = $now,
    a.restarts = 0,
    a.uptime_hours = 0.0
SET a._lock = true
REMOVE a._lock
WITH a, [id IN coalesce(a.working_notes, []) WHERE id <> $id] + [$id] AS notes
SET a.working_notes = notes[CASE WHEN size(notes) > $most THEN size(notes) - $most ELSE 0 END..]
RETURN size(a.working_notes) AS waiting
