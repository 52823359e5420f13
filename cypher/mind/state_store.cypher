CYPHER 25
// Store a version of the working memory behind the one before it, with what each of its lines rests on. Its id is made of
// the space and the version's number, so of two that make the same number one is stored, and the other is told so.
// The memories were locked in the same transaction.
// $space: string, whose
// $version: map {id, version, at, state, text, mood, reason, chars, plain, seeded, seed, basis, run, achievement,
//   friction, bonding}
// $cites: list of maps {memory, line, key}
// $consumed: list of strings, ids of the notes that are in it
// returns: one row: taken (boolean, whether it is stored by this run)
// Running it twice: the same version, and no other.
MERGE (w:WorkingMemory {id: $version.id})
  ON CREATE SET
    w = $version,
    w.space = $space
WITH w
WHERE w.space = $space AND w.run = $version.run
CALL (w) {
  MATCH (before:WorkingMemory)
  WHERE before.space = $space AND before.version = w.version - 1
  MERGE (before)-[:NEXT]->(w)
}
CALL (w) {
  UNWIND $cites AS cite
  MATCH (m:Memory {id: cite.memory})
  WHERE m.space = $space
  MERGE (w)-[:CITES {line: cite.line, key: cite.key}]->(m)
}
CALL (w) {
  MATCH (a:AgentManifest {space: $space})
  SET a.working_notes = [id IN coalesce(a.working_notes, []) WHERE NOT id IN $consumed]
}
RETURN count(w) > 0 AS taken
