CYPHER 25
// The last that one speaker did or said, the newest first: episodes beside a value that they are no ground of, and that
// are not in tension with it already.
// $space: string, whose
// $value: string, id of the value's memory
// $speaker: string or null, whose
// $since: datetime or null, deeds that were stored until then are left out
// $limit: integer, how many are looked at
// returns: id, content, embedding (list of floats)
MATCH (value:Memory {id: $value})
WHERE value.space = $space
MATCH (deed:Memory)
WHERE deed.space = $space AND deed.id IS NOT NULL AND deed:Episodic AND deed.status = 'active' AND deed.embedding IS NOT NULL AND deed <> value
  AND (deed.speaker = $speaker OR $speaker IS NULL AND deed.speaker IS NULL)
WITH value, deed ORDER BY deed.event_at DESC, deed.id LIMIT $limit
WHERE ($since IS NULL OR deed.created_at > $since)
  AND NOT EXISTS { (value)-[:IN_TENSION_WITH]-(deed) }
  AND NOT EXISTS { (value)-[:DERIVED_FROM]->(deed) }
  AND NOT EXISTS { (value)-[:DERIVED_FROM]->(:Turn)<-[:DERIVED_FROM]-(deed) }
RETURN deed.id AS id, deed.content AS content, deed.embedding AS embedding
