CYPHER 25
// For a script: what finds the nodes again that it creates, until its end.
// Running it twice: no change.
CREATE INDEX exported_node IF NOT EXISTS
FOR (n:ExportedNode) ON (n.exported_node)
