CYPHER 25
// Record calls of language models. A call that is known already is replaced: what came of its answer may be judged
// after it was written.
// $space: string, whose
// $calls: list of maps, all that is known of each: id, run (string, id of the ledger that saw it), session (string or
//   null), purpose, model, background (boolean), at (datetime), latency_ms, first_token_ms (integer or null),
//   input_tokens, output_tokens, estimated (boolean), cost_usd (float; null where the price is unknown), tries,
//   outcome, error (string or null), raw (string or null)
// returns: one row: recorded (integer)
// Running it twice: no change.
UNWIND $calls AS call
MERGE (c:LlmCall {id: call.id})
  ON CREATE SET c.space = $space
WITH c, call
WHERE c.space = $space
SET c = call
SET c.space = $space
RETURN count(*) AS recorded
