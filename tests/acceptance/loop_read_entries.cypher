CYPHER 25
// What was said in a session, in order, and how each line of it stands in the scratch buffer.
// $space: string, whose
// $session: string, its name
// returns: speaker, text, states (list of strings, one for each entry)
MATCH (:Session {space: $space, id: $session})<-[:PART_OF]-(t:Turn)
OPTIONAL MATCH (t)<-[:HEARD_AS]-(e:ScratchEntry)
WITH t, collect(e) AS entries
RETURN
  t.speaker AS speaker,
  t.text AS text,
  [e IN entries | e.state] AS states
ORDER BY t.at, t.id
