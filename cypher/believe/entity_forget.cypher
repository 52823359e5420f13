CYPHER 25
// What names keep of memories that are about to be erased: summaries that cite one are removed, and names that are one
// because one of them says so stand alone again, without a record of it. Where the name that stands for others goes with
// its last mention, the most frequent of these takes its place.
// The memories were locked in the same transaction; entities are locked here, in the order of their keys.
// $space: string, whose
// $ids: list of strings, the memories'
// returns: summaries, parted, handed_on (integers)
// Running it twice: no change.
CALL () {
  MATCH (e:Entity)
  WHERE e.space = $space AND e.key > '' AND (
    any(id IN e.summary_of WHERE id IN $ids)
    OR EXISTS { (e)-[r:ALIAS_OF]-(:Entity) }
  )
  WITH e ORDER BY e.key
  SET e._lock = true
  REMOVE e._lock
  RETURN collect(e) AS known
}
CALL (known) {
  UNWIND known AS e
  WITH e
  WHERE any(id IN e.summary_of WHERE id IN $ids)
  REMOVE e.summary, e.summary_of, e.summary_at, e.summary_plain, e.summary_mentions
  RETURN count(e) AS summaries
}
CALL (known) {
  UNWIND known AS e
  MATCH (a:Entity)-[r:ALIAS_OF]->(e)
  WHERE r.evidence IN $ids
  OPTIONAL MATCH (b:BeliefChange {space: $space})-[:CHANGED {role: 'alias'}]->(a)
  WHERE b.kind = 'names_merge' AND b.undone_at IS NULL
  DELETE r
  DETACH DELETE b
  RETURN count(DISTINCT a) AS parted
}
CALL (known) {
  UNWIND known AS e
  WITH e
  WHERE EXISTS { (e)<-[:ALIAS_OF]-(:Entity) }
    AND NOT EXISTS { (e)<-[:MENTIONS]-(m:Memory) WHERE NOT m.id IN $ids }
  CALL (e) {
    MATCH (e)<-[:ALIAS_OF]-(x:Entity)
    ORDER BY count { (x)<-[:MENTIONS]-() } DESC, x.key
    LIMIT 1
    RETURN x AS heir
  }
  MATCH (e)<-[r:ALIAS_OF]-(a:Entity)
  WITH e, heir, a, r, properties(r) AS before
  DELETE r
  FOREACH (_ IN CASE WHEN a = heir THEN [] ELSE [1] END |
    MERGE (a)-[s:ALIAS_OF]->(heir)
    SET s = before
  )
  RETURN count(DISTINCT e) AS handed_on
}
RETURN summaries, parted, handed_on
