CYPHER 25
// How many outcomes are known of each kind, and how good they were.
// $space: string, whose
// returns: kind (string), outcomes (integer), good (float, mean, 0 to 1), by kind
MATCH (o:Outcome)
WHERE o.space = $space AND o.at IS NOT NULL
RETURN o.kind AS kind, count(*) AS outcomes, avg(o.good) AS good
ORDER BY kind
