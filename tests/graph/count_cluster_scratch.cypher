CYPHER 25
// Count what label propagation leaves in a space while it runs: labels, marks, leases.
// $space: string, whose
// returns: left (integer)
RETURN
  COUNT { (m:Memory) WHERE m.space = $space AND m._community IS NOT NULL }
    + COUNT { (m:Memory)-[c:CO_ACCESSED]->() WHERE m.space = $space AND c._binding IS NOT NULL }
    + COUNT { (a:ConsolidationAttempt) WHERE a.space = $space AND a.phase = 'cluster' } AS left
