CYPHER 25
// What came of memories that a prompt may tell in one line, against those whose line is all of them; and what the
// gates did with what was heard.
// $space: string, whose
// $since: datetime, recalls from then on
// returns: one row: line, whole (maps {judged, useful (integers), length (float, mean characters of the line)}),
//   actions (list of maps {action, entries (integer)}, by action)
CALL () {
  MATCH (r:Recall)
  WHERE r.space = $space AND r.at >= $since
  MATCH (r)-[x:RETURNED]->(m:Memory)
  WHERE m.space = $space AND x.useful IS NOT NULL AND m.compressed IS NOT NULL
  WITH m, x, size(m.compressed) AS length, size(m.compressed) < size(m.content) AS shortened
  WITH
    sum(CASE WHEN shortened THEN 1 ELSE 0 END) AS lines,
    sum(CASE WHEN shortened AND x.useful THEN 1 ELSE 0 END) AS useful_lines,
    avg(CASE WHEN shortened THEN toFloat(length) END) AS line_length,
    sum(CASE WHEN shortened THEN 0 ELSE 1 END) AS wholes,
    sum(CASE WHEN NOT shortened AND x.useful THEN 1 ELSE 0 END) AS useful_wholes,
    avg(CASE WHEN NOT shortened THEN toFloat(length) END) AS whole_length
  RETURN
    {judged: lines, useful: useful_lines, length: coalesce(line_length, 0.0)} AS line,
    {judged: wholes, useful: useful_wholes, length: coalesce(whole_length, 0.0)} AS whole
}
CALL () {
  MATCH (e:ScratchEntry)
  WHERE e.space = $space AND e.state = 'decided' AND e.action IS NOT NULL
  WITH e.action AS action, count(*) AS entries
  ORDER BY action
  RETURN collect({action: action, entries: entries}) AS actions
}
RETURN line, whole, actions
