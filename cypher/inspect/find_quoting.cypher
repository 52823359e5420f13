CYPHER 25
// Which memories of some conversations quote in their context what is about to be erased.
// $space: string, whose
// $sessions: list of strings, the conversations' names
// $gone: list of strings, ids of memories that are erased themselves
// $quotes: list of strings, the lines with which a context quotes what is erased
// returns: id, kind, speaker, content, contextualized; ascending by id
UNWIND $sessions AS name
MATCH (s:Session {space: $space, id: name})<-[:PART_OF]-(:Turn)<-[:DERIVED_FROM]-(m:Memory)
WHERE NOT m.id IN $gone AND any(quote IN $quotes WHERE m.contextualized CONTAINS quote)
WITH DISTINCT m
RETURN m.id AS id, m.kind AS kind, m.speaker AS speaker, m.content AS content, m.contextualized AS contextualized
ORDER BY m.id
