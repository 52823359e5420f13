CYPHER 25
// Keep what was felt at what was said, with what was done: whether a model has answered, else whether memories were quoted
// or, at a thought, nothing more; and what the exit gate has decided by now. What was said and is not in the graph, because
// it waits in a journal or was erased, is left out.
// $space: string, whose
// $rows: list of maps {id, turn (id), session, at (datetime), vector (list of floats), magnitude (float, 0 to 1), context,
//   towards, model, reaction (string: corrected or thanked; null where nothing was said of it)}
// returns: id (string), of each that is in the graph now
// Running it twice: no change; a feeling is known by its id.
UNWIND $rows AS row
MATCH (t:Turn {space: $space, id: row.turn})
MERGE (d:GutDelta {id: row.id})
  ON CREATE SET
    d.space = $space,
    d.session = row.session,
    d.at = row.at,
    d.vector = row.vector,
    d.magnitude = row.magnitude,
    d.context = row.context,
    d.towards = row.towards,
    d.model = row.model,
    d.reaction = row.reaction
WITH row, t, d
WHERE d.space = $space
MERGE (d)-[:FELT_AT]->(t)
WITH row, t, d
OPTIONAL MATCH (t)<-[:HEARD_AS]-(e:ScratchEntry)
WHERE e.space = $space
WITH row, t, d, collect(e)[0] AS e
SET
  d.action = CASE
    WHEN EXISTS { (e)<-[:ANSWERS]-(:ScratchEntry) } THEN 'answered'
    WHEN t.source_tag = 'external_user' THEN 'quoted'
    ELSE 'kept'
  END,
  d.gate = e.action
RETURN row.id AS id
