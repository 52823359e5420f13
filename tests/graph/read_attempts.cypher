CYPHER 25
// The attempts of a space and what each holds.
// $space: string, whose
// returns: attempt (map), ids (list of strings, ascending), since (list of datetimes); in the order in which they began
MATCH (a:ConsolidationAttempt)
WHERE a.space = $space
OPTIONAL MATCH (a)<-[c:CONSOLIDATING]-(m:Memory)
WITH a, m, c ORDER BY m.id
WITH a, collect(m.id) AS ids, collect(c.since) AS since
RETURN properties(a) AS attempt, ids, since
ORDER BY attempt.started_at, attempt.id
