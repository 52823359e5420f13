CYPHER 25
// The next nodes of one label, in the order of what tells them apart. The labels of which there can be many walk along
// an index and need their own line for it: a label that is a parameter uses none. The others are few.
// $space: string, whose
// $label: string, from a fixed list
// $after: string, the cursor of the last node so far; '' to begin
// $limit: integer, nodes at most
// returns: element (string, what the database calls the node), cursor (string)
CALL () {
  WHEN $label = 'Memory' THEN {
    MATCH (n:Memory) WHERE n.space = $space AND n.id > $after
    RETURN n, n.id AS cursor ORDER BY n.space, n.id LIMIT $limit
  }
  WHEN $label = 'Turn' THEN {
    MATCH (n:Turn) WHERE n.space = $space AND n.id > $after
    RETURN n, n.id AS cursor ORDER BY n.space, n.id LIMIT $limit
  }
  WHEN $label = 'Session' THEN {
    MATCH (n:Session) WHERE n.space = $space AND n.id > $after
    RETURN n, n.id AS cursor ORDER BY n.space, n.id LIMIT $limit
  }
  WHEN $label = 'Entity' THEN {
    MATCH (n:Entity) WHERE n.space = $space AND n.key > $after
    RETURN n, n.key AS cursor ORDER BY n.space, n.key LIMIT $limit
  }
  WHEN $label = 'Tombstone' THEN {
    MATCH (n:Tombstone) WHERE n.space = $space AND n.content_hash > $after
    RETURN n, n.content_hash AS cursor ORDER BY n.space, n.content_hash LIMIT $limit
  }
  WHEN $label = 'Archived' THEN {
    MATCH (n:Archived) WHERE n.space = $space AND n.id > $after
    RETURN n, n.id AS cursor ORDER BY n.space, n.id LIMIT $limit
  }
  // Their ids are indexed over all spaces: the walk passes over those of others.
  WHEN $label = 'Recall' THEN {
    MATCH (n:Recall) WHERE n.space = $space AND n.id > $after
    RETURN n, n.id AS cursor ORDER BY n.id LIMIT $limit
  }
  WHEN $label = 'ScratchEntry' THEN {
    MATCH (n:ScratchEntry) WHERE n.space = $space AND n.id > $after
    RETURN n, n.id AS cursor ORDER BY n.id LIMIT $limit
  }
  WHEN $label = 'LlmCall' THEN {
    MATCH (n:LlmCall) WHERE n.space = $space AND n.id > $after
    RETURN n, n.id AS cursor ORDER BY n.id LIMIT $limit
  }
  WHEN $label = 'BeliefChange' THEN {
    MATCH (n:BeliefChange) WHERE n.space = $space AND n.id > $after
    RETURN n, n.id AS cursor ORDER BY n.id LIMIT $limit
  }
  WHEN $label = 'JobRun' THEN {
    MATCH (n:JobRun) WHERE n.space = $space AND n.id > $after
    RETURN n, n.id AS cursor ORDER BY n.id LIMIT $limit
  }
  ELSE {
    MATCH (n:$($label))
    WHERE n.space = $space AND coalesce(n.id, elementId(n)) > $after
    RETURN n, coalesce(n.id, elementId(n)) AS cursor ORDER BY cursor LIMIT $limit
  }
}
RETURN elementId(n) AS element, cursor
