CYPHER 25
// Let memories rest on each other in chains, each of which ends in a turn of a session.
// $space: string, whose
// $chains: list of lists of ids of memories: each rests on the next one
// $now: datetime, when
UNWIND $chains AS chain
CALL (chain) {
  UNWIND range(1, size(chain) - 1) AS place
  MATCH (upper:Memory {id: chain[place - 1]})
  MATCH (lower:Memory {id: chain[place]})
  CREATE (upper)-[:DERIVED_FROM {at: $now, citation: lower.content}]->(lower)
}
MATCH (last:Memory {id: chain[-1]})
MERGE (s:Session {space: $space, id: 'chains'})
CREATE (last)-[:DERIVED_FROM {at: $now, citation: last.content}]->
  (t:Turn {space: $space, id: 'turn ' + chain[-1], text: last.content, speaker: 'Ann', at: $now})
CREATE (t)-[:PART_OF]->(s)
