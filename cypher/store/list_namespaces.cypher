CYPHER 25
// The namespaces of a store in which something stands. See `find_items` for what stands.
// Predicates that say nothing new let the index on namespaces and keys serve a prefix.
// $space: string, whose
// returns: namespace (string, labels joined by full stops)
MATCH (m:Memory)
WHERE m.space = $space
  AND m.item_namespace IS NOT NULL AND m.item_key IS NOT NULL
  AND (m.status IN ['active', 'dormant'] OR (m.status = 'archived' AND m.archive_reason IS NOT NULL))
RETURN DISTINCT m.item_namespace AS namespace
ORDER BY namespace
