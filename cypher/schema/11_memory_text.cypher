CYPHER 25
// Full text over what was said and its context. The english analyzer stems, so "moved" finds "moving".
// space_key is a token that every query must demand: without it, other spaces fill the result first.
// Running it twice: no change.
CREATE FULLTEXT INDEX memory_text IF NOT EXISTS
FOR (m:Memory) ON EACH [m.contextualized, m.content, m.space_key]
OPTIONS {indexConfig: {
  `fulltext.analyzer`: 'english',
  `fulltext.eventually_consistent`: false
}}
