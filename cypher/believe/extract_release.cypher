CYPHER 25
// Give turns back that no facts could be drawn from: they are due for whoever comes next.
// $space: string, whose
// $ids: list of strings, ascending
// returns: one row: released (integer)
// Running it twice: no change.
UNWIND $ids AS id
MATCH (t:Turn {space: $space, id: id})
REMOVE t.extract_lease_until
RETURN count(t) AS released
