CYPHER 25
// Count what decisions of the gates came to, in the week in which they were made, link each to its outcome, and wait for
// them no longer.
// $space: string, whose
// $rows: list of maps {turn (id), week, count (name of a counter, null where there is nothing to count), worthy (name of
//   another, or null), good (1.0 or 0.0, null where it is not known), why (string)}
// $now: datetime, when
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
  WITH o, row, t
  FOREACH (name IN [each IN [row.count, row.worthy] WHERE each IS NOT NULL] |
    SET o[name] = coalesce(o[name], 0) + 1
  )
  WITH row, t
  CALL (row, t) {
    WITH row, t
    WHERE row.good IS NOT NULL
    MERGE (n:Outcome {id: $space + ':gate:' + t.id})
      ON CREATE SET
        n.space = $space,
        n.kind = 'gate',
        n.at = $now,
        n.good = row.good,
        n.why = row.why
    WITH t, n
    WHERE n.space = $space
    MERGE (t)-[:LED_TO]->(n)
    RETURN count(*) AS linked
  }
  RETURN count(*) AS counted
}
RETURN counted
