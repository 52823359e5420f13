CYPHER 25
// What stays beside what is about to be erased: what rests on something else too, and what was said beside it.
// $space: string, whose
// $ids: list of strings, the memories that go
// $turns: list of strings, ids of the turns that go
// $shown: integer, how many texts at most
// returns: one row: drawn (integer, memories that lose evidence and have other), texts (list of strings, the first of them),
//   beside (integer, other turns of the same conversations)
CALL () {
  CALL () {
    MATCH (m:Memory)
    WHERE m.space = $space AND m.id IN $ids
    RETURN m AS ground
    UNION
    MATCH (t:Turn {space: $space})
    WHERE t.id IN $turns
    RETURN t AS ground
  }
  MATCH (ground)<-[:DERIVED_FROM]-(x:Memory)
  WHERE NOT x.id IN $ids
  WITH DISTINCT x ORDER BY x.id
  RETURN count(x) AS drawn, collect(x.content)[..$shown] AS texts
}
CALL () {
  MATCH (t:Turn {space: $space})-[:PART_OF]->(s:Session)
  WHERE t.id IN $turns
  WITH DISTINCT s
  MATCH (s)<-[:PART_OF]-(other:Turn)
  WHERE NOT other.id IN $turns
  RETURN count(other) AS beside
}
RETURN drawn, texts, beside
