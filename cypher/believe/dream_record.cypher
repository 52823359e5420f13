CYPHER 25
// Keep what a dream came to, in the place of what the one before had, and say on the run's record whether it was shallow.
// The worker holds the space's lease, so there is one node. A run over all spaces is shallow if it was so in each.
// $space: string, whose
// $run: string, id of the job's run
// $found: map {at, run, shallow, why, left, links, insights, prunings, topics, priorities}, or null: nothing was new, and
//   the last dream stays the last
// $shallow: boolean, whether nothing came of it
// $why: string or null, why
// Running it twice: the same values.
MATCH (r:JobRun {id: $run})
// A run over every space has none of its own.
WHERE coalesce(r.space, $space) = $space
SET
  r.shallow = coalesce(r.shallow, true) AND $shallow,
  r.shallow_why = CASE WHEN $shallow THEN $why END
WITH count(*) AS runs
WHERE $found IS NOT NULL
MERGE (d:Dream {space: $space})
SET
  d = $found,
  d.space = $space
