CYPHER 25
// Who holds leases.
// $space: string, whose
// $phase: string, what is done, or how it begins
// returns: phase, run, worker (strings), sorted by phase; no row where nobody does
MATCH (a:ConsolidationAttempt)
WHERE a.space = $space AND a.lease_until > datetime.realtime() AND a.id STARTS WITH $space + ':' + $phase
RETURN a.phase AS phase, a.run AS run, a.worker AS worker
ORDER BY phase
