CYPHER 25
// Reserve a call of a language model out of an idle mind's day, before it is asked: a lock makes those who reserve at once
// queue up, so that all of them together cannot pass the limits. What the ledger has recorded counts where it is more.
// $space: string, whose
// $purpose: string, of the calls that count
// $midnight: datetime, when the UTC day began
// $tokens: integer, the most that the call can take: what it is told, and the longest answer
// $most_calls: integer, calls a day
// $most_tokens: integer, tokens a day
// returns: one row: granted (boolean), calls, tokens (integers, of the day, this call included where it was granted)
// Running it twice: two calls are reserved.
MATCH (a:AgentManifest {space: $space})
SET a._lock = true
REMOVE a._lock
WITH a, coalesce(a.idle_day = $midnight, false) AS same
CALL () {
  MATCH (c:LlmCall)
  WHERE c.space = $space AND c.at >= $midnight AND c.at < $midnight + duration({days: 1}) AND c.purpose = $purpose
  RETURN count(c) AS recorded, coalesce(sum(c.input_tokens + c.output_tokens), 0) AS used
}
WITH a,
  CASE WHEN same AND a.idle_calls > recorded THEN a.idle_calls ELSE recorded END AS calls,
  CASE WHEN same AND a.idle_tokens > used THEN a.idle_tokens ELSE used END AS tokens
WITH a, calls, tokens, calls + 1 <= $most_calls AND tokens + $tokens <= $most_tokens AS granted
SET
  a.idle_day = $midnight,
  a.idle_calls = calls + CASE WHEN granted THEN 1 ELSE 0 END,
  a.idle_tokens = tokens + CASE WHEN granted THEN $tokens ELSE 0 END
RETURN granted, a.idle_calls AS calls, a.idle_tokens AS tokens
