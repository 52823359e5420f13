CYPHER 25
// Create relationships between nodes that are there, each unless there are as many of its type between the two already.
// Sessions are locked first, then memories, then entities, each in order, as all writers do.
// $space: string, whose
// $sessions: list of strings, names of the sessions among the ends, sorted
// $memories: list of strings, ids of the memories among the ends, ascending
// $entities: list of strings, keys of the entities among the ends, sorted
// $rows: list of maps {place (integer, the caller's), type (string, from a fixed list), start, end (strings, what the
//   database calls the ends), nth (integer, how many of its type between the two came before it), plain, typed (as in
//   move/create_nodes)}
// returns: place (integer) for each that was created
// Running it twice: no change.
CALL () {
  UNWIND $sessions AS id
  MATCH (s:Session {space: $space, id: id})
  SET s._lock = true
  REMOVE s._lock
  RETURN count(*) AS sessions
}
CALL () {
  UNWIND $memories AS id
  MATCH (m:Memory {id: id})
  WHERE m.space = $space
  SET m._lock = true
  REMOVE m._lock
  RETURN count(*) AS memories
}
CALL () {
  UNWIND $entities AS key
  MATCH (e:Entity {space: $space, key: key})
  SET e._lock = true
  REMOVE e._lock
  RETURN count(*) AS entities
}
UNWIND $rows AS row
MATCH (a)
WHERE elementId(a) = row.start AND a.space = $space
MATCH (b)
WHERE elementId(b) = row.end AND b.space = $space
CALL (row, a, b) {
  WITH row, a, b
  WHERE count { (a)-[:$(row.type)]->(b) } <= row.nth
  CREATE (a)-[r:$(row.type)]->(b)
  SET r = row.plain
  FOREACH (p IN row.typed |
    FOREACH (values IN [CASE p.type
        WHEN 'ZONED DATETIME' THEN [text IN p.texts | datetime(text)]
        WHEN 'LOCAL DATETIME' THEN [text IN p.texts | localdatetime(text)]
        WHEN 'DATE' THEN [text IN p.texts | date(text)]
        WHEN 'ZONED TIME' THEN [text IN p.texts | time(text)]
        WHEN 'LOCAL TIME' THEN [text IN p.texts | localtime(text)]
        WHEN 'DURATION' THEN [text IN p.texts | duration(text)]
      END] |
      SET r[p.name] = CASE WHEN p.list THEN values ELSE values[0] END
    )
  )
  RETURN row.place AS place
}
RETURN place
