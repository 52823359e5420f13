CYPHER 25
// Count the active memories of a space by tier.
// $space: string, whose
// returns: tier, memories
MATCH (m:Memory)
WHERE m.space = $space AND m.tier IN ['working', 'shortTerm', 'longTerm'] AND m.status = 'active'
RETURN m.tier AS tier, count(*) AS memories
ORDER BY tier
