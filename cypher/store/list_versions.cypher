CYPHER 25
// Every version of the items of a namespace and below it, whatever became of it: what erasing has to find.
// Predicates that say nothing new let the index on namespaces and keys serve a prefix.
// $space: string, whose
// $namespace: string, labels joined by full stops
// $below: string, what the namespaces below it begin with; null leaves those out
// $key: string; null for every key
// returns: id
MATCH (m:Memory)
WHERE m.space = $space
  AND m.item_namespace STARTS WITH $namespace AND m.item_key IS NOT NULL
  AND (m.item_namespace = $namespace OR m.item_namespace STARTS WITH $below)
  AND ($key IS NULL OR m.item_key = $key)
RETURN m.id AS id
ORDER BY id
