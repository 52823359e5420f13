CYPHER 25
// An entry of the scratch buffer waits for no reply any more: the person knows what became of it.
// $space: string, whose
// $id: string, the entry's
// returns: settled (integer)
// Running it twice: no change.
MATCH (e:ScratchEntry {id: $id})
WHERE e.space = $space
REMOVE e.awaits
RETURN count(e) AS settled
