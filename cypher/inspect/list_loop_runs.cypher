CYPHER 25
// List the runs of the loop that have not ended, as far as the graph knows.
// $space: string, whose
// returns: id, session, host, pid, process_started_at (float, seconds since 1970), seen_at
MATCH (r:LoopRun {space: $space})
WHERE r.ended_at IS NULL
RETURN
  r.id AS id,
  r.session AS session,
  r.host AS host,
  r.pid AS pid,
  r.process_started_at AS process_started_at,
  r.seen_at AS seen_at
ORDER BY id
