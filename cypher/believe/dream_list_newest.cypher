CYPHER 25
// The newest active memories that may be dreamed of. Of those stored at once, as by an import, what happened last is newer.
// $space: string, whose
// $tags: list of strings, source tags of what is not dreamed of
// $kinds: list of strings, kinds of memories that are not
// $limit: integer, how many at most
// returns: one row: ids (list of strings), the newest first
MATCH (m:Memory {space: $space})
WHERE m.tier IS NOT NULL AND m.status = 'active' AND NOT m.source_tag IN $tags AND NOT m.kind IN $kinds
WITH m ORDER BY m.created_at DESC, m.event_at DESC, m.id LIMIT $limit
RETURN collect(m.id) AS ids
