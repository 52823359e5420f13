CYPHER 25
// Count the nodes of a space by their labels, those included that somebody else has put there.
// $space: string, whose
// returns: labels (list of strings), nodes (integer)
MATCH (n)
WHERE n.space = $space
RETURN labels(n) AS labels, count(*) AS nodes
