CYPHER 25
// Decisions of the gates of which it can be said by now what they were worth, as far as the graph itself knows that: a
// memory was worth keeping if it was used in time; a turn, if a fact that was drawn from it all the same was.
// $space: string, whose
// $skip: integer, how many to leave out (a dry run has seen them)
// $limit: integer, decisions at most
// $now: datetime, when
// returns: turn (id), text, week, cause (strings), at, due_at (datetimes), worthy (boolean; null where the memory is
//   gone), the oldest first
MATCH (:ConsolidationConfig {space: $space})-[:SHOWN_BY]->(o:GateOutcome)-[a:AWAITS]->(t:Turn)
WHERE a.due_at <= $now AND t.space = $space
WITH o, a, t ORDER BY a.due_at, t.id SKIP $skip LIMIT $limit
CALL (a, t) {
  WHEN a.memory IS NULL THEN {
    RETURN EXISTS {
      MATCH (t)<-[:DERIVED_FROM]-(m:Memory)
      WHERE m.space = $space AND m.first_used_on <= date(a.due_at)
    } AS worthy
  }
  ELSE {
    OPTIONAL MATCH (m:Memory {id: a.memory})
    WHERE m.space = $space
    RETURN CASE WHEN m IS NOT NULL THEN coalesce(m.first_used_on <= date(a.due_at), false) END AS worthy
  }
}
RETURN t.id AS turn, t.text AS text, o.week AS week, a.cause AS cause, t.at AS at, a.due_at AS due_at, worthy
ORDER BY due_at, turn
