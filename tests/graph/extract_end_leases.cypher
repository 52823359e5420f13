CYPHER 25
// Let the lease of every turn that somebody has taken be over.
// $space: string, whose
MATCH (t:Turn)
WHERE t.space = $space AND t.extract_lease_until IS NOT NULL
SET t.extract_lease_until = datetime.realtime() - duration({seconds: 1})
