CYPHER 25
// Who holds a lease.
// $space: string, whose
// $phase: string, what is done
// returns: run, worker (strings); no row where nobody does
MATCH (a:ConsolidationAttempt {id: $space + ':' + $phase})
WHERE a.lease_until > datetime.realtime()
RETURN a.run AS run, a.worker AS worker
