CYPHER 25
// The guidelines of a space for compressing, the newest first.
// $space: string, whose
// $limit: integer, how many at most
// returns: guideline (map {version, at, lines, longest, line_judged, line_useful, whole_judged, whole_useful})
MATCH (g:CompressionGuideline)
WHERE g.space = $space
RETURN g {.version, .at, .lines, .longest, .line_judged, .line_useful, .whole_judged, .whole_useful} AS guideline
ORDER BY g.version DESC
LIMIT $limit
