CYPHER 25
// What the ranks in the making add up to.
// $space: string, whose
// returns: one row: total (float)
MATCH (m:Memory)
WHERE m.space = $space AND m.id > '' AND m._strength IS NOT NULL
RETURN sum(m._rank) AS total
