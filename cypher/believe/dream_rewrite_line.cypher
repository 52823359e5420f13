CYPHER 25
// Give a memory another line, unless it has changed meanwhile; what it says stays as said.
// The memory was locked in the same transaction.
// $space: string, whose
// $id: string, the memory's
// $seen: string, the line that it had
// $line: string, the line that it gets
// $by: string, who wrote it: 'model' or 'words'
// returns: one row: rewritten (boolean, whether the line became another one), held (boolean, whether it was as seen)
// Running it twice: the second run finds it written, and leaves it.
OPTIONAL MATCH (m:Memory {id: $id})
WHERE m.space = $space AND m.status = 'active' AND m.compressed = $seen AND m.compressed_by IS NULL
WITH m, m.compressed <> $line AS another
FOREACH (held IN CASE WHEN m IS NULL THEN [] ELSE [m] END |
  SET
    held.compressed = $line,
    held.compressed_by = $by,
    held.version = held.version + CASE WHEN another THEN 1 ELSE 0 END
)
RETURN coalesce(another, false) AS rewritten, m IS NOT NULL AS held
