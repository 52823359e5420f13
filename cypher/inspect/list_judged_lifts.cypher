CYPHER 25
// What lifted the hits that were judged last, for trying another blend on them.
// $space: string, whose
// $recall: string, id of a recall whose hits are left out
// $recalls: integer, recalls looked through at most, the newest
// $limit: integer, hits at most
// returns: lift (list of 5 floats), useful (boolean), the last verdicts first
MATCH (r:Recall)
WHERE r.space = $space AND r.at IS NOT NULL
WITH r ORDER BY r.space DESC, r.at DESC LIMIT $recalls
WHERE r.id <> $recall
MATCH (r)-[returned:RETURNED]->(:Memory)
WHERE returned.useful IS NOT NULL
RETURN returned.lift AS lift, returned.useful AS useful
ORDER BY returned.judged_at DESC, r.id, returned.rank
LIMIT $limit
