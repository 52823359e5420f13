CYPHER 25
// Record that a migration is done, so that an opening after a crash goes on with the next one.
// $migration: integer, its number
// Running it twice: no change; of two openings at once the number of the one that is further stays.
MATCH (s:EngramSchema {id: 'engram'})
SET s._lock = true
REMOVE s._lock
SET s.migration = CASE WHEN s.migration > $migration THEN s.migration ELSE $migration END
