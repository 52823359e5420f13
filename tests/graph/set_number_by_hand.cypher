CYPHER 25
// Set a tunable number as somebody could in Neo4j Browser.
// $space: string, whose
// $property: string
// $value: any
MERGE (c:ConsolidationConfig {space: $space})
SET c[$property] = $value
