CYPHER 25
// Leave tombstones, as an erasure does.
// $space: string, whose
// $hashes: list of strings
UNWIND $hashes AS hash
CREATE (:Tombstone {space: $space, content_hash: hash, at: datetime('2026-01-01T00:00:00Z')})
