CYPHER 25
// What the nodes of a space are known by.
// $space: string, whose
// returns: element (string), label (string), name (string or null)
MATCH (n)
WHERE n.space = $space
WITH n, CASE WHEN n:Memory THEN 'Memory' ELSE labels(n)[0] END AS label
RETURN
  elementId(n) AS element,
  label,
  CASE label WHEN 'Entity' THEN n.key WHEN 'Tombstone' THEN n.content_hash ELSE n.id END AS name
ORDER BY label, coalesce(n.content, n.text, n.name, toString(n.at), toString(n.started_at)), name
