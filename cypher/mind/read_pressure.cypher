CYPHER 25
// How much waits to be consolidated, and why: what a consolidation pressure is made of (DMN algorithms, 4).
// The last consolidation is the last dream that came to something, or the last working memory that was taken.
// Of a session the newest turns are enough to tell how dense it was.
// $space: string, whose
// $run: string or null, the run of the loop that asks
// $own: string, how the names of sessions begin in which nobody talked
// $limit: integer, sessions that are looked at, the newest
// $turns: integer, turns of each
// returns: one row: lines (integer, of the scratch buffer), others (integer, those of them that other runs heard), sessions (integer, since the last consolidation, $limit at
//   most), turns (list of lists of integers, for each of these the times of its turns, ascending, in milliseconds since
//   1970), compacted (boolean, whether a context window was compacted since)
CALL () {
  OPTIONAL MATCH (d:Dream {space: $space})
  WHERE NOT coalesce(d.shallow, false)
  WITH max(d.at) AS dreamed
  OPTIONAL MATCH (w:WorkingMemory)
  WHERE w.space = $space AND w.version IS NOT NULL AND w.state = 'taken'
  WITH dreamed, w ORDER BY w.space DESC, w.version DESC LIMIT 1
  WITH dreamed, w.at AS written
  RETURN coalesce(CASE WHEN dreamed > written THEN dreamed ELSE coalesce(written, dreamed) END, datetime({epochSeconds: 0})) AS since
}
CALL () {
  MATCH (e:ScratchEntry {space: $space, state: 'buffered'})
  WITH size(split(e.text, '\n')) AS length, coalesce(e.run = $run, false) AS own
  RETURN coalesce(sum(length), 0) AS lines, coalesce(sum(CASE WHEN NOT own THEN length END), 0) AS others
}
CALL (since) {
  MATCH (r:LoopRun)
  WHERE r.space = $space AND r.started_at > since AND NOT r.session STARTS WITH $own
  WITH r.session AS name, max(r.started_at) AS at ORDER BY at DESC, name LIMIT $limit
  CALL (name, since) {
    MATCH (s:Session {space: $space, id: name})<-[:PART_OF]-(t:Turn)
    WHERE t.at > since
    WITH t.at AS at ORDER BY at DESC LIMIT $turns
    WITH at ORDER BY at
    RETURN collect(at.epochMillis) AS times
  }
  RETURN count(*) AS sessions, collect(times) AS turns
}
OPTIONAL MATCH (a:AgentManifest {space: $space})
RETURN lines, others, sessions, turns, coalesce(a.compacted_at > since, false) AS compacted
