CYPHER 25
// Delete memories with their snapshots, turns with what the scratch buffer holds of them, and the names that nothing else
// mentions, and leave tombstones. Recalls that returned one forget their question, which may quote it, and clusters that
// it belonged to their label and centroid, until they are formed anew; its box and that one's trace for good. What the
// records of language models hold of the same words goes too, and so do thoughts that it surfaced in, what was felt when a
// turn was said, and goals that were only proposed because of one.
// The memories were locked in the same transaction.
// $space: string, whose
// $ids: list of strings, the memories'
// $turns: list of strings, the turns'
// $hashes: list of strings, tombstones to leave
// $words: list of strings, lower case: a recall whose question holds one of them forgets its question
// $quotes: list of strings, lower case: what a model said that holds one of them goes
// $now: datetime, when
// returns: erased (integer, memories deleted)
// Running it twice: the second run deletes nothing.
UNWIND $hashes AS hash
MERGE (tombstone:Tombstone {space: $space, content_hash: hash})
  ON CREATE SET tombstone.at = $now
WITH count(*) AS _
CALL () {
  MATCH (r:Recall)
  WHERE r.space = $space AND any(text IN $words WHERE toLower(r.query) CONTAINS text)
  REMOVE r.query, r.query_hash
  RETURN count(*) AS forgotten
}
CALL () {
  MATCH (c:LlmCall)
  WHERE c.space = $space AND any(text IN $quotes WHERE toLower(c.raw) CONTAINS text)
  REMOVE c.raw
  RETURN count(*) AS unsaid
}
CALL () {
  UNWIND $turns AS id
  MATCH (t:Turn {space: $space, id: id})
  // A feeling's vector is made of what was said.
  OPTIONAL MATCH (t)<-[:HEARD_AS|FELT_AT]-(e:ScratchEntry|GutDelta)
  DETACH DELETE e
  RETURN collect(DISTINCT t) AS turns
}
CALL () {
  // What was only found in them, and never agreed to, is no goal of anybody's.
  MATCH (g:Goal)
  WHERE g.space = $space AND g.found_in IN $turns AND g.agreed_at IS NULL
  WITH g ORDER BY g.id
  DETACH DELETE g
  RETURN count(*) AS unproposed
}
CALL () {
  // The talk closes over the gap, however many of it go.
  UNWIND $ids AS id
  MATCH (m:Memory {id: id})
  WHERE m.space = $space
  OPTIONAL MATCH (m) (()-[:FOLLOWS]->(g:Memory WHERE g.id IN $ids))* ()-[:FOLLOWS]->(before:Memory WHERE NOT before.id IN $ids)
  WITH m, head(collect(before)) AS before
  CALL (m, before) {
    MATCH (m)-[:DERIVED_FROM]->(:Turn)-[:PART_OF]->(s:Session {tail: m.id})
    SET s.tail = before.id
  }
  MATCH (after:Memory)-[:FOLLOWS]->(m)
  WHERE before IS NOT NULL AND NOT after.id IN $ids
  MERGE (after)-[:FOLLOWS]->(before)
  RETURN count(*) AS closed
}
CALL () {
  UNWIND $ids AS id
  MATCH (m:Memory {id: id})
  WHERE m.space = $space
  OPTIONAL MATCH (m)<-[:PROMOTED_TO|CRYSTALLIZED_INTO]-+(snapshot:Archived)
  WITH m, collect(DISTINCT snapshot) AS snapshots
  CALL (m) {
    // Locked before anybody asks who else mentions them: somebody may be about to.
    MATCH (m)-[:MENTIONS]->(e:Entity)
    WITH DISTINCT e ORDER BY e.key
    SET e._lock = true
    REMOVE e._lock
    WITH collect(e) AS locked
    UNWIND locked AS e
    WITH e
    WHERE NOT EXISTS {
      MATCH (e)<-[:MENTIONS]-(other:Memory)
      WHERE NOT other.id IN $ids
    }
    RETURN collect(e) AS names
  }
  OPTIONAL MATCH (m)<-[:SURFACED]-(h:Thought)
  WITH m, snapshots, names, collect(DISTINCT h) AS thoughts
  OPTIONAL MATCH (m)<-[:RETURNED]-(r:Recall)
  WITH m, snapshots, names, thoughts, collect(DISTINCT r) AS recalls
  OPTIONAL MATCH (m)-[:BELONGS_TO]->(c:SemanticCluster)
  WITH m, snapshots, names, thoughts, recalls, collect(c) AS clusters
  CALL (m) {
    MATCH (m)-[:IN_BOX]->(x:MemoryBox)
    SET x.size = x.size - 1
    REMOVE x.topics, x.centroid, x.centroid_b
    WITH x
    MATCH (x)-[:IN_TRACE]->(y:Trace)
    REMOVE y.topics, y.centroid, y.centroid_b
    RETURN count(*) AS unboxed
  }
  FOREACH (c IN clusters | SET c.size = c.size - 1 REMOVE c.label, c.centroid, c.centroid_b)
  FOREACH (r IN recalls | REMOVE r.query, r.query_hash)
  FOREACH (e IN names | DETACH DELETE e)
  FOREACH (s IN snapshots | DETACH DELETE s)
  FOREACH (h IN thoughts | DETACH DELETE h)
  DETACH DELETE m
  RETURN count(*) AS erased
}
FOREACH (t IN turns | DETACH DELETE t)
RETURN erased
