CYPHER 25
// Replay: connect the most recent episodes with the goals that press most (DMN algorithms, 2), in one round trip.
// Each goal brings the memories nearest to it to mind, and what they are used together with, two hops far; what of that
// lies in an episode connects the two, as strongly as its best memory is active.
// An episode is a box of memories that followed one another and are about one thing. Boxes are found through what was
// used last, by the index: nothing here grows with the space.
// A step is one episode held against one goal. Steps are taken in order, up to one that is strong, or until several in a
// row were weak; what comes after that connects nothing. Goals and boxes are locked in ascending id first.
// $space: string, whose
// $recent: integer, memories used last that episodes are looked for among
// $skip: integer, episodes that were replayed before
// $episodes: integer, episodes, the newest after those
// $goals: integer, goals, the most pressing; what incubates is among them
// $width: integer, memories that one goal brings to mind
// $partners: integer, partners of each that are followed
// $fading: float, what a hop leaves of an activation where the edge is strong
// $half: float, the weight of an edge at which half of that passes
// $least: float, 0 to 1: the strength below which there is no connection, and a step is weak
// $strong: float, the strength of a step that is the last; null: none is
// $patience: integer, weak steps in a row of which the last is the last of all; null: none is
// $weak: integer, weak steps in a row right before
// $now: datetime, when
// returns: episode, goal (ids), strength (0 to 1), memory (id of the one that connects them), hops (0 to 2), new (boolean;
//   null where the step is weak), one row for each step that was taken, in order
// Running it twice: the connections are there, and get the strength that they have now.
CALL () {
  MATCH (m:Memory)
  WHERE m.space = $space AND m.last_accessed_at IS NOT NULL
  WITH m ORDER BY m.space DESC, m.last_accessed_at DESC LIMIT $recent
  MATCH (m)-[:IN_BOX]->(b:MemoryBox)
  WHERE b.space = $space AND b.ended_at IS NOT NULL
  RETURN DISTINCT b
}
WITH b ORDER BY b.ended_at DESC, b.id SKIP $skip LIMIT $episodes
WITH collect(b) AS boxes
MATCH (g:Goal)
WHERE g.space = $space AND g.state IN ['active', 'incubating'] AND g.embedding IS NOT NULL AND boxes <> []
WITH boxes, g ORDER BY coalesce(g.priority, 0.0) DESC, g.id LIMIT $goals
WITH boxes, collect(g) AS pressing
UNWIND range(0, size(pressing) - 1) AS place
WITH boxes, place, pressing[place] AS g
CALL (g) {
  MATCH (m:Memory)
  SEARCH m IN (
    VECTOR INDEX memory_embedding
    FOR g.embedding
    WHERE m.space = $space AND m.status = 'active'
    LIMIT $width
  ) SCORE AS score
  // The index gives (1 + cosine) / 2.
  RETURN collect([m, 2.0 * score - 1.0, 0]) AS near
}
CALL (near) {
  UNWIND near AS each
  WITH each[0] AS m, each[1] AS active
  WHERE active > 0.0
  CALL (m, active) {
    MATCH (m)-[c:CO_ACCESSED]-(p:Memory)
    WHERE p.space = $space AND p.status = 'active'
    WITH p, c ORDER BY c.weight DESC, p.id LIMIT $partners
    RETURN p, active * $fading * c.weight / (c.weight + $half) AS passed
  }
  WITH p, max(passed) AS passed
  RETURN collect([p, passed, 1]) AS first
}
CALL (first) {
  UNWIND first AS each
  WITH each[0] AS m, each[1] AS active
  CALL (m, active) {
    MATCH (m)-[c:CO_ACCESSED]-(p:Memory)
    WHERE p.space = $space AND p.status = 'active'
    WITH p, c ORDER BY c.weight DESC, p.id LIMIT $partners
    RETURN p, active * $fading * c.weight / (c.weight + $half) AS passed
  }
  WITH p, max(passed) AS passed
  RETURN collect([p, passed, 2]) AS second
}
WITH boxes, place, g, near + first + second AS mind
CALL (boxes, mind) {
  UNWIND mind AS each
  WITH each[0] AS m, each[1] AS active, each[2] AS hops
  WHERE active > 0.0
  MATCH (m)-[:IN_BOX]->(b:MemoryBox)
  WHERE b IN boxes
  WITH b, m, active, hops ORDER BY active DESC, hops, m.id
  WITH b, collect({id: m.id, strength: active, hops: hops})[0] AS best
  RETURN collect({b: b, best: best}) AS found
}
UNWIND range(0, size(boxes) - 1) AS age
WITH age, place, g, boxes[age] AS b, found
WITH age, place, g, b, [each IN found WHERE each.b = b | each.best][0] AS best
WITH age, place, b, g, best ORDER BY age, place
WITH collect({b: b, g: g, best: best, strength: coalesce(best.strength, 0.0)}) AS steps
WITH steps, reduce(
  way = {taken: 0, weak: $weak, over: false}, step IN steps |
  CASE
    WHEN way.over THEN way
    WHEN step.strength >= $least THEN {taken: way.taken + 1, weak: 0, over: coalesce(step.strength >= $strong, false)}
    ELSE {taken: way.taken + 1, weak: way.weak + 1, over: coalesce(way.weak + 1 >= $patience, false)}
  END
).taken AS taken
CALL (steps, taken) {
  UNWIND steps[..taken] AS step
  WITH step.g AS g, step.strength AS strength
  WHERE strength >= $least
  WITH DISTINCT g ORDER BY g.id
  SET g._lock = true
  REMOVE g._lock
  RETURN count(*) AS goals_locked
}
CALL (steps, taken) {
  UNWIND steps[..taken] AS step
  WITH step.b AS b, step.strength AS strength
  WHERE strength >= $least
  WITH DISTINCT b ORDER BY b.id
  SET b._lock = true
  REMOVE b._lock
  RETURN count(*) AS boxes_locked
}
UNWIND range(0, taken - 1) AS number
WITH number, steps[number] AS step
WITH number, step.b AS b, step.g AS g, step.best AS best, step.strength AS strength
CALL (b, g, best) {
  WHEN best.strength >= $least THEN {
    MERGE (k:Connection {id: b.id + g.id})
      ON CREATE SET
        k.space = $space,
        k.first_at = $now
    WITH b, g, best, k, k.at IS NULL AS new
    WHERE k.space = $space
    MERGE (k)-[:CONNECTS]->(g)
    MERGE (k)-[:CONNECTS]->(b)
    WITH best, k, new
    SET
      k.strength = best.strength,
      k.hops = best.hops,
      k.memory = best.id,
      k.at = $now
    RETURN new
  }
  ELSE {
    RETURN null AS new
  }
}
RETURN b.id AS episode, g.id AS goal, strength, best.id AS memory, best.hops AS hops, new
ORDER BY number
