CYPHER 25
// Note what was done where something was felt, once a conversation is over: `action` and `gate`, as mind/gut_log does.
// $space: string, whose
// $ids: list of strings, feelings
// returns: one row: settled (integer)
// Running it twice: the same again, or what is known by then.
UNWIND $ids AS id
MATCH (d:GutDelta {id: id})-[:FELT_AT]->(t:Turn)
WHERE d.space = $space AND t.space = $space
OPTIONAL MATCH (t)<-[:HEARD_AS]-(e:ScratchEntry)
WHERE e.space = $space
WITH d, t, collect(e)[0] AS e
SET
  d.action = CASE
    WHEN EXISTS { (e)<-[:ANSWERS]-(:ScratchEntry) } THEN 'answered'
    WHEN t.source_tag = 'external_user' THEN 'quoted'
    ELSE 'kept'
  END,
  d.gate = e.action
RETURN count(d) AS settled
