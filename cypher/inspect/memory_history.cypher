CYPHER 25
// What has happened to a memory: how it came, what it replaced and was replaced by, its promotions, what strengthened
// it, what disagrees with it, what was drawn from it, and the recalls that used it, as dated events.
// Supersession is followed for twenty steps at most, by shortest paths, one to each memory, so that no circle hangs it.
// $space: string, whose
// $id: string, the memory's
// $limit: integer, most events of one sort, the newest
// returns: what (string, the sort), total (integer, events of this sort), at (datetime or null), id (of the other memory,
//   turn or recall, or null), text (its content, the question, ...; or null), detail (map)
MATCH (m:Memory {id: $id})
WHERE m.space = $space
CALL (m) {
  RETURN 'remembered' AS what, m.created_at AS at, null AS id, m.source AS text,
    {event_at: m.event_at, known_at: m.known_at, speaker: m.speaker} AS detail
  UNION ALL
  WITH m
  WHERE m.seen_count > 1
  RETURN 'seen again' AS what, m.last_seen_at AS at, null AS id, null AS text, {times: m.seen_count - 1} AS detail
  UNION ALL
  WITH m
  WHERE m.archived_at IS NOT NULL
  RETURN 'archived' AS what, m.archived_at AS at, null AS id, null AS text, {reason: m.archive_reason} AS detail
  UNION ALL
  MATCH (m)-[link:DERIVED_FROM]->(x)
  WHERE x.space = $space
  RETURN 'rests on' AS what, link.at AS at, x.id AS id, coalesce(x.content, x.text) AS text, properties(link) AS detail
  UNION ALL
  MATCH (m)<-[link:DERIVED_FROM]-(x:Memory)
  WHERE x.space = $space
  RETURN 'led to' AS what, link.at AS at, x.id AS id, x.content AS text, properties(link) AS detail
  UNION ALL
  MATCH path = ANY SHORTEST (m)((a)-[links:SUPERSEDES]->(b WHERE b.space = $space)){1,20}(x)
  WHERE x <> m
  RETURN 'replaced' AS what, links[-1].at AS at, x.id AS id, x.content AS text,
    {reason: links[-1].reason, by: links[-1].by, steps: size(links)} AS detail
  UNION ALL
  MATCH path = ANY SHORTEST (m)((a)<-[links:SUPERSEDES]-(b WHERE b.space = $space)){1,20}(x)
  WHERE x <> m
  RETURN 'replaced by' AS what, links[-1].at AS at, x.id AS id, x.content AS text,
    {reason: links[-1].reason, by: links[-1].by, steps: size(links)} AS detail
  UNION ALL
  MATCH (m)((b)<-[links:PROMOTED_TO|CRYSTALLIZED_INTO]-(a:Archived WHERE a.space = $space)){1,5}(x)
  RETURN 'promoted' AS what, links[-1].at AS at, x.id AS id,
    CASE type(links[-1]) WHEN 'PROMOTED_TO' THEN 'shortTerm' ELSE 'longTerm' END AS text,
    {energy: links[-1].energy, run: x.run} AS detail
  UNION ALL
  MATCH (m)<-[link:REINFORCES]-(x:Memory)
  WHERE x.space = $space
  RETURN 'strengthened by' AS what, link.at AS at, x.id AS id, x.content AS text, properties(link) AS detail
  UNION ALL
  MATCH (m)-[link:REINFORCES]->(x:Memory)
  WHERE x.space = $space
  RETURN 'strengthened' AS what, link.at AS at, x.id AS id, x.content AS text, properties(link) AS detail
  UNION ALL
  MATCH (m)-[link:IN_TENSION_WITH]-(x:Memory)
  WHERE x.space = $space
  RETURN 'in tension with' AS what, link.at AS at, x.id AS id, x.content AS text, properties(link) AS detail
  UNION ALL
  MATCH (m)<-[link:TENSION_BETWEEN]-(x:Memory)
  WHERE x.space = $space
  RETURN 'disputed in' AS what, coalesce(link.at, x.created_at) AS at, x.id AS id, x.content AS text,
    properties(link) AS detail
  UNION ALL
  MATCH (m)<-[link:RETURNED]-(r:Recall)
  WHERE r.space = $space
  RETURN 'recalled' AS what, r.at AS at, r.id AS id, r.query AS text,
    link {.rank, .score, .useful, .judged_at, mode: r.mode, session: r.session} AS detail
}
WITH what, at, id, text, detail
ORDER BY at DESC, id
WITH what, collect({at: at, id: id, text: text, detail: detail}) AS events
UNWIND events[..$limit] AS event
RETURN what, size(events) AS total, event.at AS at, event.id AS id, event.text AS text, event.detail AS detail
