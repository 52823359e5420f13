CYPHER 25
// List what waits in the scratch buffer for the exit gate, oldest first: what a run of the loop heard itself, and what
// runs heard that have ended or died.
// $space: string, whose
// $run: string, the run that asks
// $alive: list of strings, ids of other runs that still go on
// $limit: integer, most entries
// returns: entry (map, the entry's properties), memory (id of the memory that its turn has already, or null)
MATCH (e:ScratchEntry {space: $space, state: 'buffered'})
WHERE e.run = $run OR NOT e.run IN $alive
WITH e ORDER BY e.at, e.id LIMIT $limit
OPTIONAL MATCH (e)-[:HEARD_AS]->(t:Turn)<-[:DERIVED_FROM]-(m:Memory:Episodic)
WHERE m.space = $space AND m.content = t.text
RETURN e {.*} AS entry, collect(m.id)[0] AS memory
ORDER BY entry.at, entry.id
