CYPHER 25
// Let the leases of all turns of a space be over.
// $space: string, whose
// Running it twice: no change.
MATCH (t:Turn {space: $space})
REMOVE t.extract_lease_until
