CYPHER 25
// What the calls of a space cost by day, purpose or model, as far as they are kept one by one.
// $space: string, whose
// $since: datetime, the earliest
// $session: string or null, of one session only
// $by: string, 'day', 'purpose' or 'model'
// returns: key (string), calls, retries, failed, input_tokens, output_tokens, estimated (calls whose tokens nobody
//   counted), cost_usd (float), unpriced (list of strings, models of calls without a price)
MATCH (c:LlmCall)
WHERE c.space = $space AND c.at >= $since AND ($session IS NULL OR c.session = $session)
WITH
  c,
  CASE $by
    WHEN 'day' THEN left(toString(c.at), 10)
    WHEN 'model' THEN c.model
    ELSE c.purpose
  END AS key
RETURN
  key,
  count(c) AS calls,
  sum(CASE WHEN c.tries > 1 THEN c.tries - 1 ELSE 0 END) AS retries,
  sum(CASE WHEN c.outcome IN ['ok', 'interrupted'] THEN 0 ELSE 1 END) AS failed,
  sum(c.input_tokens) AS input_tokens,
  sum(c.output_tokens) AS output_tokens,
  sum(CASE WHEN c.estimated THEN 1 ELSE 0 END) AS estimated,
  toFloat(sum(c.cost_usd)) AS cost_usd,
  collect(DISTINCT CASE WHEN c.cost_usd IS NULL THEN c.model END) AS unpriced
