CYPHER 25
// Have facts drawn once more from every turn that was read.
// $space: string, whose
// $now: datetime, when
MATCH (t:Turn)
WHERE t.space = $space AND t.extracted_at IS NOT NULL
SET t.extract_due_at = $now
REMOVE t.extracted_at, t.extracted_by
