CYPHER 25
// Where some words stand in a space, or in what is of no space, whichever node, relationship or name of the schema has them.
// $space: string, whose
// $words: list of strings, lower case
// returns: place (string)
CALL () {
  MATCH (n)
  WHERE n.space = $space OR n.space IS NULL
  UNWIND [properties(n)] + COLLECT { MATCH (n)-[r]-() RETURN properties(r) } AS held
  UNWIND keys(held) AS property
  WITH labels(n)[0] + '.' + property AS place, held[property] AS value
  WHERE value IS :: STRING OR value IS :: LIST<STRING>
  RETURN place, reduce(text = '', each IN CASE WHEN value IS :: STRING THEN [value] ELSE value END | text + '\n' + each) AS text
  UNION ALL
  CALL db.index.fulltext.queryNodes('memory_text', $words[0])
  YIELD node
  WHERE node.space = $space
  RETURN 'the full-text index' AS place, node.content AS text
  UNION ALL
  CALL db.propertyKeys()
  YIELD propertyKey
  RETURN 'the names of properties' AS place, propertyKey AS text
}
WITH place, text
WHERE any(word IN $words WHERE toLower(text) CONTAINS word)
RETURN DISTINCT place
