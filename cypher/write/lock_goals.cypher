CYPHER 25
// Lock a space's goals that have not come to an end, in ascending id: whoever changes them does so one after the other.
// Where there is none yet there is nothing of theirs to lock: the space's own node serves.
// $space: string, whose
// $now: datetime, when
// returns: locked (integer)
// Running it twice: no change.
MERGE (a:AgentManifest {space: $space})
  ON CREATE SET
    a.created_at = $now,
    a.restarts = 0,
    a.uptime_hours = 0.0
SET a._lock = true
REMOVE a._lock
WITH count(a) AS _
OPTIONAL MATCH (g:Goal)
WHERE g.space = $space AND g.state IN ['active', 'incubating', 'blocked', 'proposed']
WITH g ORDER BY g.id
SET g._lock = true
REMOVE g._lock
RETURN count(g) AS locked
