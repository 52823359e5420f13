CYPHER 25
// Let one closed box go on with the trace that it is most like, if one was seen not long before; else it begins one.
// A trace's centroid is the mean of its boxes'. The box is locked first, so that two workers weave it once.
// $space: string, whose
// $id: string, the box's
// $overlap: float, the least cosine of box and trace
// $days: integer, how long before the box a trace was seen last at most
// returns: one row, none where the box was woven before: changed (integer, 1), examples (list of one map {box, trace,
//   boxes})
// Running it twice: the box is in its trace and nothing changes.
MATCH (b:MemoryBox {id: $id})
WHERE b.space = $space
SET b._lock = true
REMOVE b._lock
WITH b
WHERE b.due = 'trace'
CALL (b) {
  OPTIONAL MATCH (t:Trace)
  WHERE t.space = $space
    AND t.id > ''
    AND t.last_at >= b.started_at - duration({days: $days})
    AND t.started_at <= b.ended_at + duration({days: $days})
    AND size(t.centroid) = size(b.centroid)
  WITH t, 2.0 * vector.similarity.cosine(t.centroid, b.centroid) - 1.0 AS overlap
  ORDER BY overlap DESC, t.id
  RETURN collect(CASE WHEN overlap >= $overlap THEN t.id END)[0] AS found
}
WITH b, coalesce(found, 'trace-' + b.id) AS trace
MERGE (t:Trace {space: $space, id: trace})
  ON CREATE SET
    t.boxes = 0,
    t.started_at = b.started_at,
    t.last_at = b.ended_at
MERGE (b)-[:IN_TRACE]->(t)
SET
  t.centroid = CASE
    WHEN b.centroid IS NULL OR t.centroid IS NULL THEN coalesce(t.centroid, b.centroid)
    ELSE [place IN range(0, size(t.centroid) - 1) |
      (t.centroid[place] * t.boxes + b.centroid[place]) / (t.boxes + 1)]
  END,
  t.centroid_b = null, // a reindex takes it from the boxes again
  t.boxes = t.boxes + 1,
  t.topics = coalesce(t.topics, b.topics),
  t.started_at = CASE WHEN b.started_at < t.started_at THEN b.started_at ELSE t.started_at END,
  t.last_at = CASE WHEN b.ended_at > t.last_at THEN b.ended_at ELSE t.last_at END,
  b.due = null
RETURN 1 AS changed, [{box: b.id, trace: t.id, boxes: t.boxes}] AS examples
