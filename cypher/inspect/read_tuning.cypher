CYPHER 25
// The numbers of a space and, before them, the defaults.
// $space: string, whose
// $defaults: string, the space of the defaults
// returns: numbers (map, property to value), the defaults first
MATCH (c:ConsolidationConfig)
WHERE c.space IN [$defaults, $space]
RETURN c {.*} AS numbers
ORDER BY c.space = $space
