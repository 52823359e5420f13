CYPHER 25
// Everything that a space holds, every value as text beside its type: nodes, and relationships with what their ends hold.
// $space: string, whose
// returns: nodes (list of lists), relationships (list of lists)
CALL () {
  MATCH (n)
  WHERE n.space = $space
  RETURN collect([
    toStringList(labels(n)),
    [name IN keys(n) WHERE NOT name IN ['space', 'space_key'] |
      [name, valueType(n[name]), CASE WHEN n[name] IS :: LIST<ANY> THEN toStringList(n[name]) ELSE toString(n[name]) END]]
  ]) AS nodes
}
CALL () {
  MATCH (a)-[r]->(b)
  WHERE a.space = $space
  RETURN collect([
    type(r),
    coalesce(a.id, a.key, a.content_hash, head(labels(a)) + coalesce(a.month, a.week, '')),
    coalesce(b.id, b.key, b.content_hash, head(labels(b)) + coalesce(b.month, b.week, '')),
    [name IN keys(r) WHERE name <> 'space' | [name, valueType(r[name]), toString(r[name])]]
  ]) AS relationships
}
RETURN nodes, relationships
