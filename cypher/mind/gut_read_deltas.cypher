CYPHER 25
// The newest feelings, with what came of each as far as that is known.
// $space: string, whose
// $model: string, the embedding model; feelings in another one's vectors cannot be compared
// $limit: integer, feelings at most
// returns: vector (list of floats), context (string), good (float, 0 to 1; null where it is not known), the newest first
MATCH (d:GutDelta)
WHERE d.space = $space AND d.at IS NOT NULL
WITH d ORDER BY d.space DESC, d.at DESC, d.id
WHERE d.model = $model
WITH d LIMIT $limit
OPTIONAL MATCH (d)-[:LED_TO]->(o:Outcome)
WHERE o.space = $space
WITH d, avg(o.good) AS good
RETURN d.vector AS vector, coalesce(d.context, '') AS context, good
ORDER BY d.at DESC, d.id
