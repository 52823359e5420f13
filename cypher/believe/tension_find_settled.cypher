CYPHER 25
// Tensions that something has settled since: one side was replaced, corrected or forgotten by hand, or only one side
// was said again, by people, on two days or more. A person who took such a resolution back is not contradicted.
// $space: string, whose
// $limit: integer, how many at most
// returns: low, high (ids), said (string or null, id of the memory that says so), how (string), kept (string or null, id
//   of the side that the evidence supports)
MATCH (low:Memory)-[t:IN_TENSION_WITH {space: $space}]->(high:Memory)
WHERE t.state IN ['open', 'acknowledged'] AND low.space = $space AND high.space = $space
  AND NOT EXISTS {
    MATCH (low)<-[:CHANGED]-(c:BeliefChange {kind: 'resolution'})-[:CHANGED]->(high)
    WHERE c.space = $space AND c.undone_at IS NOT NULL
  }
CALL (low, t, high) {
  UNWIND [low, high] AS side
  RETURN collect({
    id: side.id,
    corrected: EXISTS { (side)<-[s:SUPERSEDES]-() WHERE s.correction },
    replaced: side.status = 'superseded',
    forgotten: side.status = 'archived' AND side.archive_reason IS NULL,
    days: COUNT {
      MATCH (side)-[d:DERIVED_FROM]->(x:Turn)
      WHERE d.at > t.at AND x.space = $space AND coalesce(x.source_tag, 'external_user') = 'external_user'
      RETURN DISTINCT date(x.at)
    }
  }) AS sides
}
WITH low, t, high, sides,
  [side IN sides WHERE side.days > 1 AND all(other IN sides WHERE other = side OR other.days = 0) | side.id][0] AS kept
WITH low, t, high, kept, CASE
  WHEN any(side IN sides WHERE side.corrected) THEN 'one of them was corrected'
  WHEN any(side IN sides WHERE side.replaced) THEN 'one of them was replaced'
  WHEN any(side IN sides WHERE side.forgotten) THEN 'one of them was forgotten'
  WHEN kept IS NOT NULL THEN 'only one of them was said again'
END AS how
WHERE how IS NOT NULL
RETURN
  low.id AS low, high.id AS high,
  [
    (said:Tension)-[:TENSION_BETWEEN {role: 'one'}]->(low)
    WHERE said.space = $space AND said.status IN ['active', 'dormant']
      AND EXISTS { (said)-[:TENSION_BETWEEN {role: 'other'}]->(high) } | said.id
  ][0] AS said,
  how,
  CASE WHEN how = 'only one of them was said again' THEN kept END AS kept
ORDER BY low, high
LIMIT $limit
