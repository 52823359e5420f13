CYPHER 25
// Count the oldest calls of language models by purpose, model and month, with tokens and dollars, and delete them, in
// one transaction.
// $space: string, whose
// $before: datetime, those that are older
// $skip: integer, of the oldest, how many to leave out (a dry run has seen them)
// $batch_size: integer, calls at most
// returns: one row: changed (integer, calls)
// Running it twice: the second run goes on with what is left; what was deleted is not counted again.
MATCH (c:LlmCall)
WHERE c.space = $space AND c.at < $before
WITH c ORDER BY c.space, c.at, c.id SKIP $skip LIMIT $batch_size
SET c._lock = true
WITH collect(c) AS locked
UNWIND locked AS c
WITH c
WHERE c.at < $before // else another sweep was faster: it has no properties any more
WITH
  'LlmCall:' + c.purpose + ':' + c.model AS kind,
  c.purpose AS purpose,
  c.model AS model,
  left(toString(c.at), 7) AS month,
  collect(c) AS old,
  sum(CASE WHEN c.tries > 1 THEN c.tries - 1 ELSE 0 END) AS retries,
  sum(CASE WHEN c.outcome IN ['ok', 'interrupted'] THEN 0 ELSE 1 END) AS failed,
  sum(CASE WHEN c.cost_usd IS NULL THEN 1 ELSE 0 END) AS unpriced,
  sum(c.input_tokens) AS input_tokens,
  sum(c.output_tokens) AS output_tokens,
  sum(c.cost_usd) AS cost_usd
ORDER BY kind, month
MERGE (r:RecordCounter {space: $space, kind: kind, month: month})
SET
  r.purpose = purpose,
  r.model = model,
  r.count = coalesce(r.count, 0) + size(old),
  r.retries = coalesce(r.retries, 0) + retries,
  r.failed = coalesce(r.failed, 0) + failed,
  r.unpriced = coalesce(r.unpriced, 0) + unpriced,
  r.input_tokens = coalesce(r.input_tokens, 0) + input_tokens,
  r.output_tokens = coalesce(r.output_tokens, 0) + output_tokens,
  r.cost_usd = coalesce(r.cost_usd, 0.0) + cost_usd
FOREACH (c IN old | DETACH DELETE c)
RETURN sum(size(old)) AS changed
