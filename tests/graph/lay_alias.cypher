CYPHER 25
// Say by hand that a name means the same as another.
// $space: string, whose
// $alias: string, key of the one
// $other: string, key of the one that stands for both
MATCH (a:Entity {space: $space, key: $alias})
MATCH (e:Entity {space: $space, key: $other})
MERGE (a)-[:ALIAS_OF]->(e)
