CYPHER 25
// Insights whose sources have fallen since they were last looked at: superseded, put away by a person, or withdrawn.
// Found from what has fallen, which is little; the relationship to a source knows what had become of it by then. What
// was drawn from the very memory that it replaces has not lost a source by that.
// $space: string, whose
// $limit: integer, how many at most
// returns: one row: ids (list of strings, ascending)
MATCH (s:Memory)
USING INDEX s:Memory(space, tier, status)
WHERE s.space = $space
  AND s.tier IN ['working', 'shortTerm', 'longTerm']
  AND s.status IN ['superseded', 'archived']
MATCH (s)<-[d:DERIVED_FROM]-(m:Memory)
WHERE (s.status = 'superseded' OR s.archive_reason IS NULL)
  AND coalesce(d.standing, 'active') <> s.status
  AND m.space = $space
  AND m.status = 'active'
  AND NOT m.immutable
  AND NOT EXISTS { (m)-[:SUPERSEDES]->(s) }
WITH DISTINCT m.id AS id ORDER BY id LIMIT $limit
RETURN collect(id) AS ids
