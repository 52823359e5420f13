CYPHER 25
// Link decisions of the gates to what came of them, as far as the graph knows by now (:GateOutcome waits for the same). It
// was good to keep what was used in time, and to hold back what nothing was ever drawn from that was.
// What is not used is only known when its time is over. The job that counts these decisions lets go of them then, so they
// are judged a little earlier.
// $space: string, whose
// $limit: integer, decisions at most
// $soon: datetime, what is due by then is judged now
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
WHERE used OR a.due_at <= $soon
WITH a, t, used, a.memory IS NOT NULL AS kept ORDER BY a.due_at, t.id LIMIT $limit
MERGE (o:Outcome {id: $space + ':gate:' + t.id})
  ON CREATE SET
    o.space = $space,
    o.kind = 'gate',
    o.at = $now,
    o.good = CASE WHEN kept = used THEN 1.0 ELSE 0.0 END,
    o.why = CASE WHEN kept THEN 'kept' ELSE 'held back' END + ' (' + a.cause + '), '
      + CASE WHEN used THEN 'used since' ELSE 'never used' END
WITH t, o
WHERE o.space = $space
MERGE (t)-[:LED_TO]->(o)
RETURN count(o) AS linked
