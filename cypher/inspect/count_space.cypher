CYPHER 25
// Count what a space holds.
// The IS NOT NULL predicates are always true; they let the composite indexes serve a space alone.
// $space: string, whose
// returns: memories, relationships (all of the space's memories), groups (list of
//   [kind, tier, status, count]), first_event_at, last_event_at, sessions, turns
CALL () {
  MATCH (m:Memory {space: $space})
  WHERE m.tier IS NOT NULL AND m.status IS NOT NULL
  WITH
    m.kind AS kind,
    m.tier AS tier,
    m.status AS status,
    count(m) AS n,
    min(m.event_at) AS first_event_at,
    max(m.event_at) AS last_event_at,
    sum(COUNT { (m)-->() }) AS relationships
  RETURN
    sum(n) AS memories,
    collect([kind, tier, status, n]) AS groups,
    min(first_event_at) AS first_event_at,
    max(last_event_at) AS last_event_at,
    sum(relationships) AS relationships
}
CALL () {
  MATCH (s:Session {space: $space})
  WHERE s.id IS NOT NULL
  RETURN count(s) AS sessions
}
CALL () {
  MATCH (t:Turn {space: $space})
  WHERE t.id IS NOT NULL
  RETURN count(t) AS turns
}
RETURN memories, groups, relationships, first_event_at, last_event_at, sessions, turns
