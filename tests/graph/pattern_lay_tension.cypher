CYPHER 25
// Put two memories in tension by hand.
// $space: string, whose
// $one: string, id
// $other: string, id
MATCH (a:Memory {id: $one})
WHERE a.space = $space
MATCH (b:Memory {id: $other})
WHERE b.space = $space
CREATE (a)-[:IN_TENSION_WITH {state: 'open'}]->(b)
