CYPHER 25
// Lock a space's goals that have not come to an end, in ascending id: whoever changes them does so one after the other.
// $space: string, whose
// returns: locked (integer)
// Running it twice: no change.
MATCH (g:Goal)
WHERE g.space = $space AND g.state IN ['active', 'incubating', 'blocked', 'proposed']
WITH g ORDER BY g.id
SET g._lock = true
REMOVE g._lock
RETURN count(g) AS locked
