CYPHER 25
// Delete nodes that are left of a space whose memories were erased by write/erase_space, with all relationships. Tombstones
// stay, and whatever is a memory again is left for that statement.
// $space: string, whose
// $elements: list of strings, the nodes', as inspect/list_rest returns them
// returns: erased (integer, nodes)
// Running it twice: the second run deletes nothing.
CALL () {
  // Somebody may have written a memory meanwhile, and linked it to one of them.
  UNWIND $elements AS element
  MATCH (n)--(m:Memory)
  WHERE elementId(n) = element AND m.space = $space
  WITH DISTINCT m ORDER BY m.id
  SET m._lock = true
  REMOVE m._lock
  RETURN count(m) AS locked
}
UNWIND $elements AS element
MATCH (n)
WHERE elementId(n) = element AND n.space = $space AND NOT n:Memory AND NOT n:Tombstone
DETACH DELETE n
RETURN count(*) AS erased
