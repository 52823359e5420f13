CYPHER 25
// Count what a space holds.
// $space: string, whose
// returns: kinds, tiers, statuses (lists of one value per memory group: [name, count]), memories,
//   sessions, turns, relationships (all of the space's memories), first_event_at, last_event_at
CALL () {
  MATCH (m:Memory {space: $space})
  RETURN
    count(m) AS memories,
    min(m.event_at) AS first_event_at,
    max(m.event_at) AS last_event_at,
    sum(COUNT { (m)-->() }) AS relationships
}
CALL () {
  MATCH (m:Memory {space: $space})
  WITH m.kind AS name, count(*) AS n
  RETURN collect([name, n]) AS kinds
}
CALL () {
  MATCH (m:Memory {space: $space})
  WITH m.tier AS name, count(*) AS n
  RETURN collect([name, n]) AS tiers
}
CALL () {
  MATCH (m:Memory {space: $space})
  WITH m.status AS name, count(*) AS n
  RETURN collect([name, n]) AS statuses
}
RETURN
  memories, kinds, tiers, statuses, relationships, first_event_at, last_event_at,
  COUNT { (:Session {space: $space}) } AS sessions,
  COUNT { (:Turn {space: $space}) } AS turns
