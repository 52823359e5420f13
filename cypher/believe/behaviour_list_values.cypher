CYPHER 25
// What is valued and weighs much, and was not held against deeds since the last of them; the heaviest first.
// $space: string, whose
// $categories: list of strings, e.g. ['principle', 'preference', 'decision']
// $weight: float, 0 to 1: the centre of the weight is above
// $limit: integer, how many at most
// returns: id, content, speaker (string or null), embedding (list of floats), since (datetime or null: deeds that were
//   stored until then were looked at)
CALL () {
  OPTIONAL MATCH (deed:Memory)
  WHERE deed.space = $space AND deed.id IS NOT NULL AND deed:Episodic
  RETURN max(deed.created_at) AS newest
}
MATCH (m:Memory)
WHERE m.space = $space AND m.id IS NOT NULL AND m.status = 'active' AND m.embedding IS NOT NULL
  AND (m.category IN $categories OR m.kind = 'preference')
  AND m.weight_alpha > $weight * (m.weight_alpha + m.weight_beta)
  AND (m.behaviour_at IS NULL OR m.behaviour_at < newest)
RETURN
  m.id AS id, m.content AS content, m.speaker AS speaker, m.embedding AS embedding, m.behaviour_at AS since
ORDER BY m.weight_alpha / (m.weight_alpha + m.weight_beta) DESC, id
LIMIT $limit
