CYPHER 25
// Put memories into a status; what a job has archived stays where the job has put it.
// $space: string, whose
// $ids: list of strings, the memories', ascending
// $from: list of strings, the statuses that they may be in now
// $to: string, the status that they get
// returns: ids (list of strings, of those that changed)
// Running it twice: the second run changes nothing, `to` not being among `from`.
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space
SET m._lock = true
REMOVE m._lock
WITH collect(m) AS locked
UNWIND locked AS m
WITH m
WHERE m.status IN $from AND m.archive_reason IS NULL
SET
  m.status = $to,
  m.version = m.version + 1
RETURN collect(m.id) AS ids
