CYPHER 25
// Keep what was heard or said, before anything else happens to it: its raw turn, for ever, and an entry of the scratch
// buffer, which waits for the exit gate. What a reply answers no longer waits for one.
// $space: string, whose
// $rows: list of maps {key (the turn's id), entry (map: the entry's properties), answers (id of an entry or null),
//   told (boolean, whether facts may be drawn from it)}, sorted by session
// $run: string, the run of the loop that hears it; null where it comes from a journal
// $now: datetime, when it is written
// returns: heard (integer, entries that are new)
// Running it twice: no change; an entry is known by its id and a turn by its key.
CALL () {
  UNWIND $rows AS row
  WITH row.entry.session AS name, min(row.entry.at) AS first, max(row.entry.at) AS last ORDER BY name
  MERGE (s:Session {space: $space, id: name})
    ON CREATE SET
      s.created_at = $now,
      s.started_at = first,
      s.ended_at = last
  // Setting both times does not lock the session before a turn is linked to it: without this, writers deadlock.
  SET s._lock = true
  REMOVE s._lock
  SET
    s.started_at = CASE WHEN s.started_at < first THEN s.started_at ELSE first END,
    s.ended_at = CASE WHEN s.ended_at > last THEN s.ended_at ELSE last END
  RETURN count(*) AS sessions
}
CALL () {
  OPTIONAL MATCH (r:LoopRun {id: $run})
  WHERE r.space = $space
  SET r.seen_at = $now
  RETURN count(r) AS runs
}
UNWIND $rows AS row
MATCH (s:Session {space: $space, id: row.entry.session})
MERGE (t:Turn {space: $space, id: row.key})
  ON CREATE SET
    t.text = row.entry.text,
    t.speaker = row.entry.speaker,
    t.at = row.entry.at,
    t.source = row.entry.source,
    t.source_tag = row.entry.source_tag,
    // The exit gate says sooner; without its word it is due when the entry's time is over.
    t.extract_due_at = CASE WHEN row.told THEN $now + duration({hours: 24}) END,
    t.created_at = $now
MERGE (t)-[:PART_OF]->(s)
MERGE (e:ScratchEntry {id: row.entry.id})
  ON CREATE SET
    e += row.entry,
    e.space = $space,
    e.state = CASE WHEN row.entry.skipped THEN 'skipped' ELSE 'buffered' END,
    e.looked = 0,
    e.heard_at = $now,
    e.expires_at = $now + duration({hours: 24}),
    e.fresh = true
WITH row, t, e, coalesce(e.fresh, false) AS fresh
WHERE e.space = $space
REMOVE e.fresh
MERGE (e)-[:HEARD_AS]->(t)
WITH row, e, fresh
CALL (row, e) {
  MATCH (asked:ScratchEntry {id: row.answers})
  WHERE asked.space = $space
  REMOVE asked.awaits
  MERGE (e)-[:ANSWERS]->(asked)
}
RETURN count(CASE WHEN fresh THEN 1 END) AS heard
