CYPHER 25
// For a script: take away what found the nodes again, from some of them.
// Only the script knows these nodes, so nothing need be locked in the same transaction.
// Running it twice: it goes on with others.
MATCH (n:ExportedNode)
WITH n LIMIT 10000
REMOVE n:ExportedNode, n.exported_node
