CYPHER 25
// Give back what of a reservation a call did not take.
// $space: string, whose
// $midnight: datetime, when the UTC day of the reservation began
// $unused: integer, tokens
// returns: tokens (integer, of the day); no row on another day
// Running it twice: it is given back twice.
MATCH (a:AgentManifest {space: $space})
SET a._lock = true
REMOVE a._lock
WITH a
WHERE a.idle_day = $midnight
SET a.idle_tokens = a.idle_tokens - $unused
RETURN a.idle_tokens AS tokens
