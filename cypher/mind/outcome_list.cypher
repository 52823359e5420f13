CYPHER 25
// The newest outcomes of a space, with what led to each and the memories that has to do with.
// $space: string, whose
// $kind: string, or null for all kinds
// $limit: integer, outcomes at most
// returns: outcome (map {id, at, kind, good, why}), led (map {what (a label), id, text, at}; null where it is not on record any
//   more), memories (list of ids, three at most), the newest first
MATCH (o:Outcome)
WHERE o.space = $space AND o.at IS NOT NULL
WITH o ORDER BY o.space DESC, o.at DESC, o.id
WHERE $kind IS NULL OR o.kind = $kind
WITH o LIMIT $limit
OPTIONAL MATCH (s)-[:LED_TO]->(o)
WHERE s.space = $space
WITH o, collect(s)[0] AS s
RETURN
  o {.id, .at, .kind, .good, .why} AS outcome,
  CASE
    WHEN s IS NOT NULL THEN {
      what: labels(s)[0],
      id: s.id,
      text: coalesce(s.text, s.context, s.reason, s.purpose, ''),
      at: s.at
    }
  END AS led,
  COLLECT {
    CALL (s) {
      MATCH (s)-[:CHANGED]->(m:Memory)
      RETURN m
      UNION
      MATCH (s)<-[:DERIVED_FROM]-(m:Memory)
      RETURN m
      UNION
      MATCH (s)-[:FELT_AT]->(:Turn)<-[:DERIVED_FROM]-(m:Memory)
      RETURN m
    }
    WITH m
    WHERE m.space = $space
    WITH m ORDER BY m.id LIMIT 3
    RETURN m.id
  } AS memories
ORDER BY o.at DESC, o.id
