CYPHER 25
// Keep a short summary of what is known of somebody or something, with the memories that it rests on. It is kept only
// while all of these are there: one that was erased meanwhile may be quoted in it.
// The memories were locked in the same transaction.
// $space: string, whose
// $key: string, key of the entity that stands for all of its names
// $ids: list of strings, the memories that the summary cites, ascending; none: nothing is known yet
// $text: string or null, the summary
// $plain: boolean, whether it was put together without a model
// $mentions: integer, mentions of all of its names at this time
// $now: datetime, when
// returns: changed (integer, 0 or 1)
// Running it twice: the same summary.
CALL () {
  UNWIND $ids AS id
  MATCH (m:Memory {id: id})
  WHERE m.space = $space
  RETURN count(m) AS held
}
MATCH (e:Entity {space: $space, key: $key})
WHERE held = size($ids)
SET
  e.summary = $text,
  e.summary_at = $now,
  e.summary_of = $ids,
  e.summary_plain = $plain,
  e.summary_mentions = $mentions
RETURN count(e) AS changed
