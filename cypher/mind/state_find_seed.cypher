CYPHER 25
// The version of the working memory that a text of a person's was taken into.
// $space: string, whose
// $seed: string, the text's hash
// returns: version (integer), at (datetime); none where it was not taken in
MATCH (w:WorkingMemory)
WHERE w.space = $space AND w.version IS NOT NULL AND w.seed = $seed
RETURN w.version AS version, w.at AS at ORDER BY version LIMIT 1
