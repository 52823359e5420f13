CYPHER 25
// Link decisions of the gates to what came of them where a use in time tells it (:GateOutcome waits for the same): it was good
// to keep what was used, and bad to hold back what a fact was drawn from that was.
// What was not used is known when its time is over, and then the job that counts these decisions links what it finds.
// $space: string, whose
// $limit: integer, decisions at most
// $now: datetime, when
// returns: one row: linked (integer)
// Running it twice: the second run finds each with its outcome and changes nothing.
MATCH (:ConsolidationConfig {space: $space})-[:SHOWN_BY]->(:GateOutcome)-[a:AWAITS]->(t:Turn)
WHERE t.space = $space AND NOT EXISTS { (t)-[:LED_TO]->(:Outcome {kind: 'gate'}) }
CALL (a, t) {
  WHEN a.memory IS NULL THEN {
    RETURN EXISTS {
      MATCH (t)<-[:DERIVED_FROM]-(m:Memory)
      WHERE m.space = $space AND m.first_used_on <= date(a.due_at)
    } AS used
  }
  ELSE {
    RETURN EXISTS {
      MATCH (m:Memory {id: a.memory})
      WHERE m.space = $space AND m.first_used_on <= date(a.due_at)
    } AS used
  }
}
WITH a, t, used
WHERE used
WITH a, t, a.memory IS NOT NULL AS kept ORDER BY a.due_at, t.id LIMIT $limit
MERGE (o:Outcome {id: $space + ':gate:' + t.id})
  ON CREATE SET
    o.space = $space,
    o.kind = 'gate',
    o.at = $now,
    o.good = CASE WHEN kept THEN 1.0 ELSE 0.0 END,
    o.why = CASE WHEN kept THEN 'kept (' + a.cause + '), used since' ELSE 'held back (' + a.cause + '), needed since' END
WITH t, o
WHERE o.space = $space
MERGE (t)-[:LED_TO]->(o)
RETURN count(o) AS linked
