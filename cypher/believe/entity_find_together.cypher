CYPHER 25
// Texts in which a longer and a shorter name both stand, each by itself: "Anna and Anna Schmidt came".
// All that mentions either is looked at, whether the other was recognised as a name there or not.
// $space: string, whose
// $keys: list of strings, keys of the entities of both
// $longer: list of strings, names in lower case, the longest first; what they cover is no mention of a shorter one
// $shorter: list of strings, names in lower case
// $limit: integer, texts at most
// returns: text (string)
MATCH (e:Entity)
WHERE e.space = $space AND e.key IN $keys
MATCH (e)<-[:MENTIONS]-(m:Memory)
WITH DISTINCT m
WITH m, toLower(m.content) AS text
WHERE any(name IN $longer WHERE text CONTAINS name) AND any(name IN $shorter WHERE text CONTAINS name)
WITH m, reduce(rest = text, name IN $longer | replace(rest, name, '|')) AS rest
WHERE any(name IN $shorter WHERE rest CONTAINS name)
RETURN m.content AS text
ORDER BY m.id
LIMIT $limit
