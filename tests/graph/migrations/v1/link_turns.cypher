CYPHER 25
// Store the raw turns, and link each memory to its turn, its session and the memory said before it.
// The sessions were locked by lock_sessions in the same transaction.
// $space: string, whose
// $rows: list of maps {turn, session, text, speaker, at, caption, source, memory, previous}: turn is the
//   id, memory the id of the turn's memory, previous the id of the memory before it or null
// $tails: map, session id to the id of the memory of its last turn
// $now: datetime, when
// Running it twice: no change.
UNWIND $rows AS row
MATCH (s:Session {space: $space, id: row.session})
MATCH (m:Memory {id: row.memory})
WHERE m.space = $space
MERGE (t:Turn {space: $space, id: row.turn})
  ON CREATE SET
    t.text = row.text,
    t.speaker = row.speaker,
    t.at = row.at,
    t.caption = row.caption,
    t.source = row.source,
    t.created_at = $now
MERGE (t)-[:PART_OF]->(s)
MERGE (m)-[d:DERIVED_FROM]->(t)
  ON CREATE SET
    d.at = $now,
    d.citation = row.text
SET s.tail = $tails[row.session]
WITH m, row
MATCH (p:Memory {id: row.previous})
WHERE p.space = $space AND p <> m AND NOT EXISTS { (m)-[:FOLLOWS]->() }
MERGE (m)-[:FOLLOWS]->(p)
