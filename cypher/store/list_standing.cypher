CYPHER 25
// The versions that stand under a key of a store, in ascending id, so that they can be locked. See `find_items` for what
// stands.
// $space: string, whose
// $namespace: string, labels joined by full stops
// $key: string
// returns: id
MATCH (m:Memory {space: $space, item_namespace: $namespace, item_key: $key})
WHERE m.status IN ['active', 'dormant'] OR (m.status = 'archived' AND m.archive_reason IS NOT NULL)
RETURN m.id AS id
ORDER BY id
