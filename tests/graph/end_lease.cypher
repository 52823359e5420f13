CYPHER 25
// Let leases be over, as the passing of time does.
// $space: string, whose
// $attempt: string, the attempt's id; null for every attempt of the space
MATCH (a:ConsolidationAttempt)
WHERE a.space = $space AND ($attempt IS NULL OR a.id = $attempt)
SET a.lease_until = datetime.realtime() - duration({seconds: 1})
