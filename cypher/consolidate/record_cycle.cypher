CYPHER 25
// Keep what a cycle of the job safety has found in a space, in the place of what the one before had found. The worker
// holds the space's lease, so there is one node.
// $space: string, whose
// $found: map {at, memories, entropy, entropy_before, fallen, coherence, coherence_before, epistemic, action, value,
//   top}: fallen is whether entropy fell too far, top the ids of the weightiest memories
// Running it twice: the same values.
MERGE (c:SafetyCycle {space: $space})
SET
  c = $found,
  c.space = $space
