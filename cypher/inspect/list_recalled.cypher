CYPHER 25
// List what was recalled and used in sessions, what was used last first; of what is not forgotten or superseded.
// Whatever a recall returns within a session is linked to it (write/learn_from_recall): so no walk over all recalls.
// $space: string, whose
// $sessions: list of strings, their names
// $limit: integer, most memories
// returns: id, content, compressed (string or null)
UNWIND $sessions AS name
MATCH (:Session {space: $space, id: name})<-[a:ACCESSED_IN]-(m:Memory)
WHERE m.space = $space AND m.status IN ['active', 'dormant']
WITH m, max(a.at) AS at
ORDER BY at DESC, m.id
LIMIT $limit
RETURN m.id AS id, m.content AS content, m.compressed AS compressed
