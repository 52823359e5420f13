CYPHER 25
// Keep a new version of a space's guidelines for compressing; the ones before stay behind it as its history.
// $space: string, whose
// $version: integer, one more than the newest that it was learned beside
// $guideline: map {lines (list of strings), longest, line_judged, line_useful, whole_judged, whole_useful (integers)}
// $now: datetime, when
// returns: one row: changed (integer, 0 where another worker was faster)
// Running it twice: the version is there already and nothing changes.
MERGE (g:CompressionGuideline {space: $space, version: $version})
  ON CREATE SET
    g += $guideline,
    g.at = $now,
    g.fresh = true
WITH g, coalesce(g.fresh, false) AS fresh
REMOVE g.fresh
WITH g, fresh
CALL (g, fresh) {
  WITH g
  WHERE fresh
  MATCH (before:CompressionGuideline {space: $space, version: $version - 1})
  MERGE (g)-[r:REPLACES]->(before)
    ON CREATE SET r.at = $now
  RETURN count(*) AS linked
}
RETURN CASE WHEN fresh THEN 1 ELSE 0 END AS changed
