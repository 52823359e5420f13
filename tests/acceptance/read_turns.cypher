CYPHER 25
// What was said in a session, in order.
// $space: string, whose
// $session: string, its name
// returns: speaker, text, source
MATCH (:Session {space: $space, id: $session})<-[:PART_OF]-(t:Turn)
RETURN t.speaker AS speaker, t.text AS text, t.source AS source
ORDER BY t.at, t.id
