CYPHER 25
// Take off every record what of its verdict is in the weights, as records were before that was kept.
// $space: string, whose
// returns: nothing
// Running it twice: the second run finds none.
MATCH (r:Recall)-[returned:RETURNED]->(:Memory)
WHERE r.space = $space
REMOVE returned.weight_for, returned.weight_against
