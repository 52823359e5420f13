CYPHER 25
// Memories that have no id, or whose id is no text: no other check would come across them.
// $space: string, whose
// returns: one row: last (null: there is one batch), found (list of maps {check, broken, examples})
MATCH (m:Memory)
WHERE m.space = $space AND m.content_hash IS NOT NULL AND NOT m.id IS :: STRING NOT NULL
WITH count(m) AS broken, collect(elementId(m))[..5] AS examples
RETURN null AS last, [{check: 'ids', broken: broken, examples: examples}] AS found
