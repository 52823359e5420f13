CYPHER 25
// What stands in a namespace of a store and below it, what was put last first. See `find_items` for what stands.
// Predicates that say nothing new let the index on namespaces and keys serve a prefix.
// $space: string, whose
// $namespace: string, labels joined by full stops; '' is the root
// $below: string, what the namespaces below it begin with
// $skip: integer, how many are left out
// $limit: integer, how many at most
// returns: namespace, key, id, value (string, JSON), since (datetime), put_at (datetime)
MATCH (m:Memory)
WHERE m.space = $space
  AND m.item_namespace STARTS WITH $namespace AND m.item_key IS NOT NULL
  AND (m.item_namespace = $namespace OR m.item_namespace STARTS WITH $below)
  AND (m.status IN ['active', 'dormant'] OR (m.status = 'archived' AND m.archive_reason IS NOT NULL))
WITH m ORDER BY m.created_at DESC, m.id DESC
WITH m.item_namespace AS namespace, m.item_key AS key, collect(m)[0] AS m
RETURN namespace, key, m.id AS id, m.item_value AS value, m.item_since AS since, m.last_seen_at AS put_at
ORDER BY put_at DESC, namespace, key
SKIP $skip LIMIT $limit
