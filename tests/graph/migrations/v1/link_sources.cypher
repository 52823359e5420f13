CYPHER 25
// Say which memories another one was drawn from.
// $space: string, whose
// $id: string, the memory that rests on the others
// $sources: list of strings, their ids, sorted
// $now: datetime, when
// returns: found (integer, how many of the sources there are)
// Running it twice: no change.
MATCH (m:Memory {id: $id})
WHERE m.space = $space
UNWIND $sources AS source
MATCH (s:Memory {id: source})
WHERE s.space = $space AND s <> m
MERGE (m)-[d:DERIVED_FROM]->(s)
  ON CREATE SET
    d.at = $now,
    d.citation = s.content
RETURN count(s) AS found
