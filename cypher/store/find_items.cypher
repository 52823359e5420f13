CYPHER 25
// What stands under some keys of a store. A key has many versions, each a memory; the newest that nobody replaced or
// forgot is what stands. What a job has put away as little used stands too: a store does not lose a key by itself.
// $space: string, whose
// $names: list of maps {namespace, key}
// returns: namespace, key, id, value (string, JSON), since (datetime, when the key was first put), put_at (datetime, when
//   it was last put), versions (integer, how many stand; more than one only between two writers)
UNWIND $names AS name
MATCH (m:Memory {space: $space, item_namespace: name.namespace, item_key: name.key})
WHERE m.status IN ['active', 'dormant'] OR (m.status = 'archived' AND m.archive_reason IS NOT NULL)
WITH name, m ORDER BY m.created_at DESC, m.id DESC
WITH name, collect(m) AS standing
WITH name, standing[0] AS m, size(standing) AS versions
RETURN
  name.namespace AS namespace, name.key AS key, m.id AS id, m.item_value AS value, m.item_since AS since,
  m.last_seen_at AS put_at, versions
