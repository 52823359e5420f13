CYPHER 25
// Give versions of a working memory another text: that without what is erased.
// $space: string, whose
// $rows: list of maps {id, text}, ascending by id
// returns: changed (integer)
// Running it twice: the same texts.
UNWIND $rows AS row
MATCH (w:WorkingMemory {id: row.id})
WHERE w.space = $space
SET
  w.text = row.text,
  w.chars = size(row.text)
RETURN count(*) AS changed
