CYPHER 25
// Set one tunable number of a space, and keep what it was.
// $space: string, whose; '' for the defaults
// $key: string, the number's name
// $property: string, its property
// $value: float or integer, what it becomes; null gives a space the default again
// $by: string, who changes it
// $now: datetime, when
// Running it twice: the second run finds the value there and keeps no second entry.
MERGE (c:ConsolidationConfig {space: $space})
// Locked before it is read: two who change it queue up.
SET c._lock = true
REMOVE c._lock
WITH c, c[$property] AS before,
  // Who waited for the lock changes it later than who held it, whatever their clocks say.
  CASE WHEN c.changed_at >= $now THEN c.changed_at + duration({microseconds: 1}) ELSE $now END AS at
WHERE (before IS NULL) <> ($value IS NULL) OR before <> $value
CREATE (c)-[:CHANGED]->(:ConfigChange {
  space: $space,
  key: $key,
  before: before,
  after: $value,
  by: $by,
  at: at
})
SET
  c[$property] = $value,
  c.changed_at = at
