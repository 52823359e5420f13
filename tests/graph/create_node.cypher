CYPHER 25
// Create a node by hand.
// $space: string, whose
// $label: string
// $properties: map
CREATE (n:$($label))
SET
  n = $properties,
  n.space = $space
