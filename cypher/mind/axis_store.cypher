CYPHER 25
// Replace a space's axes of feeling. An axis is known by its number, so none is deleted: one that there is no more of has no
// share and no name left.
// $space: string, whose
// $rows: list of maps {number (integer, from 0), direction (list of floats), middle, spread, share (floats), correlation
//   (float or null), name (string or null)}, ascending by number
// $model: string, the embedding model that they are directions in
// $most: integer, axes that there may be
// $now: datetime, when
// returns: one row: changed (integer, axes that are not as they were)
// Running it twice: the second run finds the same axes and changes nothing.
CALL () {
  UNWIND $rows AS row
  MERGE (x:GutAxis {id: $space + ':axis-' + row.number})
    ON CREATE SET x.space = $space
  SET x._lock = true
  REMOVE x._lock
  WITH x, row
  WHERE x.space = $space
    AND (x.direction IS NULL
      OR x.direction <> row.direction
      OR x.model <> $model
      OR x.share <> row.share
      OR coalesce(x.name, '') <> coalesce(row.name, '')
      OR coalesce(x.correlation, 2.0) <> coalesce(row.correlation, 2.0))
  SET
    x += row,
    x.model = $model,
    x.at = $now
  RETURN count(*) AS stored
}
CALL () {
  UNWIND range(size($rows), $most - 1) AS number
  MATCH (x:GutAxis {id: $space + ':axis-' + number})
  WHERE x.space = $space AND x.share > 0.0
  SET
    x.share = 0.0,
    x.name = null,
    x.correlation = null,
    x.at = $now
  RETURN count(*) AS ended
}
RETURN stored + ended AS changed
