CYPHER 25
// Take a tension back: the two memories do not contradict each other, and the memory that said so is put away.
// All three were locked in the same transaction.
// $space: string, whose
// $id: string, the change's
// returns: undone (boolean), why (string or null, what stands in the way); no row where one of the two is gone
// Running it twice: the second run finds it taken back.
MATCH (low:Memory)<-[:CHANGED {role: 'one'}]-(c:BeliefChange {id: $id})-[:CHANGED {role: 'other'}]->(high:Memory)
WHERE c.space = $space AND low.space = $space AND high.space = $space
OPTIONAL MATCH (low)-[t:IN_TENSION_WITH]->(high)
OPTIONAL MATCH (c)-[:CHANGED {role: 'tension'}]->(said:Tension)
WHERE said.space = $space
WITH t, collect(said) AS sayings, CASE
  WHEN t IS NULL THEN 'it is gone already'
  WHEN t.state = 'resolved' THEN 'it was resolved since, so that has to be taken back first'
END AS why
CALL (t, sayings, why) {
  WHEN why IS NULL THEN {
    DELETE t
    WITH sayings
    UNWIND sayings AS said
    WITH said
    WHERE said.status IN ['active', 'dormant']
    SET
      said.status = 'archived',
      said.version = said.version + 1
  }
}
RETURN why IS NULL AS undone, why
