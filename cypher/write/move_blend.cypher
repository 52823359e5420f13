CYPHER 25
// Move a space's blend after a verdict, and keep what was moved. It was locked in the same transaction.
// $space: string, whose
// $offsets: list of 5 floats, what outcomes add to each alpha
// $component: string, the alpha that moved
// $amount: float, by how much
// $useful: boolean, the verdict
// $recall: string, the recall's id
// $now: datetime, when
// Running it twice: a second, equal entry in the history.
MATCH (b:RelevanceBlend {space: $space})
CREATE (b)-[:CHANGED]->(:BlendChange {
  space: $space,
  at: $now,
  component: $component,
  amount: $amount,
  before: b.offsets,
  after: $offsets,
  useful: $useful,
  recall: $recall
})
SET b.offsets = $offsets
