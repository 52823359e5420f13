CYPHER 25
// The items of a key-value store that are kept as memories, by namespace and key.
// Running it twice: no change.
CREATE INDEX memory_item IF NOT EXISTS FOR (m:Memory) ON (m.space, m.item_namespace, m.item_key)
