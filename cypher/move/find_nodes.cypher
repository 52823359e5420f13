CYPHER 25
// Find nodes of one label by what tells them apart. Where that is an id that is unique in the whole database, what another
// space has under it is told too, as somebody's. The labels of which there can be many use their index, as in
// move/walk_nodes.
// $space: string, whose
// $label: string, from a fixed list
// $names: list of strings, the properties that tell nodes of the label apart
// $keys: list of lists, their values in each of the nodes looked for
// returns: place (integer, in $keys), element (string), own (boolean, whether it is this space's)
UNWIND range(0, size($keys) - 1) AS place
WITH place, $keys[place] AS key
CALL (key) {
  WHEN $label = 'Memory' THEN { MATCH (n:Memory {id: key[0]}) RETURN n }
  WHEN $label = 'Turn' THEN { MATCH (n:Turn {space: $space, id: key[0]}) RETURN n }
  WHEN $label = 'Session' THEN { MATCH (n:Session {space: $space, id: key[0]}) RETURN n }
  WHEN $label = 'Entity' THEN { MATCH (n:Entity {space: $space, key: key[0]}) RETURN n }
  WHEN $label = 'Tombstone' THEN { MATCH (n:Tombstone {space: $space, content_hash: key[0]}) RETURN n }
  WHEN $label = 'Archived' THEN { MATCH (n:Archived {id: key[0]}) RETURN n }
  WHEN $label = 'Recall' THEN { MATCH (n:Recall {id: key[0]}) RETURN n }
  WHEN $label = 'ScratchEntry' THEN { MATCH (n:ScratchEntry {id: key[0]}) RETURN n }
  WHEN $label = 'LlmCall' THEN { MATCH (n:LlmCall {id: key[0]}) RETURN n }
  WHEN $label = 'BeliefChange' THEN { MATCH (n:BeliefChange {id: key[0]}) RETURN n }
  WHEN $label = 'JobRun' THEN { MATCH (n:JobRun {id: key[0]}) RETURN n }
  WHEN $names = ['id'] THEN { MATCH (n:$($label) {id: key[0]}) RETURN n }
  ELSE {
    MATCH (n:$($label))
    WHERE n.space = $space AND all(at IN range(0, size($names) - 1) WHERE n[$names[at]] = key[at])
    RETURN n
  }
}
RETURN place, elementId(n) AS element, coalesce(n.space = $space, false) AS own
