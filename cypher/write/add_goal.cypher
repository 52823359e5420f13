CYPHER 25
// Set a goal.
// $space: string, whose
// $goal: map {id, text, state, weight, created_at, changed_at, active_at, tractability, and what else is known of it}
// $vector: list of floats, the text's
// Running it twice: the goal is there and stays as it is.
MERGE (g:Goal {id: $goal.id})
  ON CREATE SET
    g = $goal,
    g.embedding = $vector,
    g.space = $space
