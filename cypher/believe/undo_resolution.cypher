CYPHER 25
// Take the resolution of a tension back: it is as it was, and so are the memories that it retired or put away.
// All of them were locked in the same transaction.
// $space: string, whose
// $id: string, the change's
// returns: undone (boolean), why (string or null, what stands in the way); no row where one of the two is gone
// Running it twice: the second run finds it taken back.
MATCH (c:BeliefChange {id: $id})-[was:CHANGED]->(m:Memory)
WHERE c.space = $space AND m.space = $space
WITH c, was, m ORDER BY m.id
WITH c,
  collect(CASE WHEN was.role <> 'tension' THEN {memory: m, was: was} END) AS sides,
  collect(CASE WHEN was.role = 'tension' THEN {memory: m, was: was} END) AS sayings
WHERE size(sides) = 2
WITH c, sides, sayings, sides[0].memory AS low, sides[1].memory AS high
OPTIONAL MATCH (low)-[t:IN_TENSION_WITH]->(high)
WITH c, sides, sayings, low, high, t,
  [side IN sides WHERE side.was.status IS NOT NULL] AS retired
WITH c, retired, sayings, low, high, t, sides, CASE
  WHEN t IS NULL OR t.state <> 'resolved' OR t.resolved_at <> c.at THEN 'the tension has changed since'
  WHEN any(side IN retired WHERE side.memory.status = side.was.status) THEN 'a memory was brought back already'
  WHEN EXISTS {
    MATCH (low)<-[later:SUPERSEDES]-(by)
    WHERE later.at >= c.at AND by <> high
  } OR EXISTS {
    MATCH (high)<-[later:SUPERSEDES]-(by)
    WHERE later.at >= c.at AND by <> low
  }
  THEN 'one of the two was replaced since, so that has to be taken back first'
END AS why
CALL (c, retired, sayings, low, high, t, sides, why) {
  WHEN why IS NULL THEN {
    SET
      t.state = coalesce(sides[0].was.state, sides[1].was.state, 'open'),
      t.kept = null,
      t.how = null,
      t.resolved_at = null
    WITH c, retired, sayings, low, high
    CALL (c, low, high) {
      MATCH (low)-[s:SUPERSEDES]-(high)
      WHERE s.at = c.at
      DELETE s
    }
    CALL (retired) {
      UNWIND retired AS side
      WITH side.memory AS m, side.was AS was
      SET
        m.status = was.status,
        m.valid_to = was.valid_to,
        m.valid_to_before = was.valid_to_before,
        m.closed_at = was.closed_at,
        m.version = m.version + 1
    }
    UNWIND sayings AS saying
    WITH saying.memory AS m, saying.was AS was
    WHERE m.status = 'archived'
    SET
      m.status = was.status,
      m.version = m.version + 1
  }
}
RETURN why IS NULL AS undone, why
