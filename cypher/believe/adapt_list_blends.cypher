CYPHER 25
// What a space's blend of relevance was after each change that is still kept, the newest first.
// $space: string, whose
// $limit: integer, versions at most
// returns: one row: experience (float), offsets (list of floats, as they stand), changes (list of maps {version, at,
//   component, amount, recall, restored, before, after (lists of floats)}, newest first): version counts every change
//   there ever was; no row where nothing was learned
MATCH (b:RelevanceBlend {space: $space})
CALL () {
  OPTIONAL MATCH (c:RecordCounter {space: $space, kind: 'BlendChange'})
  RETURN coalesce(sum(c.count), 0) AS counted
}
CALL (b, counted) {
  MATCH (b)-[:CHANGED]->(x:BlendChange)
  WITH counted, x ORDER BY x.at, elementId(x)
  WITH counted, collect(x) AS changes
  UNWIND range(0, size(changes) - 1) AS place
  WITH counted + place + 1 AS version, changes[place] AS x
  ORDER BY version DESC LIMIT $limit
  RETURN collect(x {.at, .component, .amount, .recall, .restored, .before, .after, version: version}) AS changes
}
RETURN b.experience AS experience, b.offsets AS offsets, changes
