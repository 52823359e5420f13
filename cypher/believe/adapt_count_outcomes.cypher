CYPHER 25
// Count what decisions of the gates came to, in the week in which they were made, and wait for them no longer.
// $space: string, whose
// $rows: list of maps {turn (id), week, count (name of a counter, null where there is nothing to count), worthy (name of
//   another, or null)}
// returns: one row: counted (integer, decisions)
// Running it twice: the second run finds nothing that waits and counts nothing.
MATCH (c:ConsolidationConfig {space: $space})
SET c._lock = true
REMOVE c._lock
WITH c
CALL (c) {
  UNWIND $rows AS row
  MATCH (c)-[:SHOWN_BY]->(o:GateOutcome {week: row.week})
  MATCH (o)-[a:AWAITS]->(t:Turn {space: $space, id: row.turn})
  DELETE a
  WITH o, row
  FOREACH (name IN [each IN [row.count, row.worthy] WHERE each IS NOT NULL] |
    SET o[name] = coalesce(o[name], 0) + 1
  )
  RETURN count(*) AS counted
}
RETURN counted
