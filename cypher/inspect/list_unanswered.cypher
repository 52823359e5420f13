CYPHER 25
// List what was said and never answered, because the run of the loop that heard it is over; the newest first.
// $space: string, whose
// $alive: list of strings, ids of runs that still go on
// $limit: integer, most entries
// returns: id, session, text, at, speaker
MATCH (e:ScratchEntry {space: $space, awaits: true})
WHERE NOT e.run IN $alive
RETURN e.id AS id, e.session AS session, e.text AS text, e.at AS at, e.speaker AS speaker
ORDER BY at DESC, id
LIMIT $limit
