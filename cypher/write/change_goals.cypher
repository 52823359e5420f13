CYPHER 25
// Change the state or the weight of goals. They were locked in the same transaction.
// $space: string, whose
// $goals: list of maps {id, state, weight, changed_at}, in ascending id
// Running it twice: the same values.
UNWIND $goals AS row
MATCH (g:Goal {id: row.id})
WHERE g.space = $space
SET
  g.state = row.state,
  g.weight = row.weight,
  g.changed_at = row.changed_at
