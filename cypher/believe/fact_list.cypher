CYPHER 25
// One batch of the facts of a space.
// $space: string, whose
// $after: string, id after which the batch begins; '' for the first
// $batch_size: integer, memories looked at
// $categories: list of strings, those of facts
// $subject: string or null, the key of the one whose they are, whatever name they were kept under; null: anybody's
// $replaced: boolean, whether those that no longer hold are listed too
// returns: one row: last (string, id of the last memory looked at; null when there was none), facts (list of maps {id,
//   subject (key, of names that mean the same the one that stands for all; or null), name (the subject's, or null), slot,
//   value, negated, category, content, status, valid_from, valid_to, truth (0 to 1), sources (integer, how many turns and
//   memories it rests on)})
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
CALL (batch) {
  UNWIND batch AS m
  WITH m
  WHERE m.category IN $categories
    AND m.status IN CASE WHEN $replaced THEN ['active', 'superseded'] ELSE ['active'] END
  OPTIONAL MATCH (own:Entity {space: $space, key: m.subject})
  OPTIONAL MATCH (own)-[:ALIAS_OF]->(other:Entity)
  WHERE other.space = $space
  WITH m, coalesce(other, own) AS e
  WITH m, e.name AS name, coalesce(e.key, m.subject) AS subject
  WHERE $subject IS NULL OR subject = $subject
  RETURN collect(m {
    .id, .slot, .value, .negated, .category, .content, .status, .valid_from, .valid_to,
    subject: subject,
    name: name,
    truth: m.truth_alpha / (m.truth_alpha + m.truth_beta),
    sources: count { (m)-[:DERIVED_FROM]->() }
  }) AS facts
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, facts
