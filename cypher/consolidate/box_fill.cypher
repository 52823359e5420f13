CYPHER 25
// Put memories into boxes, and close those that are full or over; what is in a box already stays where it is.
// $space: string, whose
// $ids: list of strings, every memory below, ascending
// $boxes: list of maps {id, session, places (list of lists [id of a memory, its place]), properties (map: started_at,
//   ended_at and, once sealed, sealed_at, sealed_why, topics, due), centroid (list of floats, once sealed, or null)}
// $now: datetime, when
// returns: one row: changed (integer, memories boxed and boxes closed), examples (list of maps {box, memories, sealed},
//   five at most)
// Running it twice: the memories are in their boxes, the boxes closed, and nothing changes.
CALL () {
  UNWIND $ids AS id
  MATCH (m:Memory {id: id})
  WHERE m.space = $space
  SET m._lock = true
  REMOVE m._lock
  RETURN count(*) AS locked
}
UNWIND $boxes AS row
MERGE (b:MemoryBox {id: row.id})
  ON CREATE SET
    b.space = $space,
    b.session = row.session,
    b.size = 0,
    b.due = 'seal'
WITH b, row, b.sealed_at IS NULL AS open
WHERE b.space = $space
CALL (b, row, open) {
  WITH b, row
  WHERE open
  UNWIND row.places AS each
  MATCH (m:Memory {id: each[0]})
  WHERE m.space = $space AND NOT EXISTS { (m)-[:IN_BOX]->() }
  CREATE (m)-[:IN_BOX {at: $now, place: each[1]}]->(b)
  RETURN count(m) AS boxed
}
FOREACH (_ IN CASE WHEN open THEN [1] ELSE [] END |
  SET
    b += row.properties,
    b.centroid = row.centroid,
    b.size = b.size + boxed
)
WITH b, boxed, open AND b.sealed_at IS NOT NULL AS closed
RETURN
  sum(boxed + CASE WHEN closed THEN 1 ELSE 0 END) AS changed,
  collect({box: b.id, memories: b.size, sealed: coalesce(b.sealed_why, 'no')})[..5] AS examples
