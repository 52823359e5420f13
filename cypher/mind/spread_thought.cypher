CYPHER 25
// What a memory that came to mind brings along: what is near to it, what is used together with it, two hops far, and the
// goals that press, by how much of all that bears on them. Nothing of it counts as a use.
// $space: string, whose
// $id: string, the memory
// $beside: string or null, another memory, in case that nothing has to do with this one
// $width: integer, the nearest that are looked at
// $partners: integer, partners of each that are followed
// $first: float, what the first hop leaves of an activation where the edge is strong
// $second: float, what two hops leave of it
// $half: float, the weight of an edge at which half of that passes
// $goals: integer, goals, the most pressing
// $followed: integer, so many of each sort, the strongest, are held against the goals
// $selves: list of strings, keys of the names that the agent goes by
// returns: one row: content (string), beside (map {id, content} or null), speaker (string or null), topic (string or
//   null, somebody or something that it names), goals (list of maps {id, text, state, strength}, the strongest first), others (list of maps {id,
//   content, happened (milliseconds since 1970), source_tag, strength, similarity (cosine to the memory), hops,
//   about_self}, the strongest first)
MATCH (m:Memory {id: $id})
WHERE m.space = $space
CALL (m) {
  MATCH (n:Memory)
  SEARCH n IN (
    VECTOR INDEX memory_embedding
    FOR m.embedding
    WHERE n.space = $space AND n.status = 'active'
    LIMIT $width
  ) SCORE AS score
  WHERE n <> m
  // The index gives (1 + cosine) / 2.
  RETURN collect([n, 2.0 * score - 1.0, 0]) AS near
}
CALL (m) {
  MATCH (m)-[c:CO_ACCESSED]-(p:Memory)
  WHERE p.space = $space AND p.status = 'active'
  WITH p, c ORDER BY c.weight DESC, p.id LIMIT $partners
  RETURN collect([p, $first * c.weight / (c.weight + $half), 1]) AS first
}
CALL (m, first) {
  UNWIND first AS each
  WITH m, each[0] AS n, each[1] / $first AS passed
  CALL (m, n, passed) {
    MATCH (n)-[c:CO_ACCESSED]-(p:Memory)
    WHERE p.space = $space AND p.status = 'active' AND p <> m
    WITH p, c ORDER BY c.weight DESC, p.id LIMIT $partners
    RETURN p, passed * $second * c.weight / (c.weight + $half) AS active
  }
  WITH p, max(active) AS active ORDER BY active DESC, p.id
  RETURN collect([p, active, 2]) AS second
}
WITH m, first + second + near AS found, first[..$followed] + second[..$followed] + near[..$followed] AS foremost
CALL (m, foremost) {
  MATCH (g:Goal)
  WHERE g.space = $space AND g.state IN ['active', 'incubating'] AND g.embedding IS NOT NULL AND m.embedding IS NOT NULL
  WITH g ORDER BY coalesce(g.priority, 0.0) DESC, g.id LIMIT $goals
  UNWIND [[m, 1.0, 0]] + foremost AS each
  WITH g, each[0] AS n, each[1] AS active
  WHERE n.embedding IS NOT NULL
  WITH g, max(active * (2.0 * vector.similarity.cosine(g.embedding, n.embedding) - 1.0)) AS strength
  ORDER BY strength DESC, g.id
  RETURN collect({id: g.id, text: g.text, state: g.state, strength: strength}) AS goals
}
CALL (m, found) {
  UNWIND found AS each
  WITH m, each[0] AS n, each[1] AS active, each[2] AS hops
  // By an edge it is associated; by the index alone it only resembles.
  WITH m, n, max(CASE hops WHEN 0 THEN null ELSE active END) AS associated, max(active) AS strength, max(hops) AS hops
  WITH m, n, hops, coalesce(associated, strength) AS strength
  ORDER BY strength DESC, n.id
  RETURN collect({
    id: n.id, content: n.content, happened: n.event_at.epochMillis, source_tag: n.source_tag,
    strength: strength, hops: hops,
    similarity: coalesce(2.0 * vector.similarity.cosine(m.embedding, n.embedding) - 1.0, 0.0),
    about_self: n.immutable OR EXISTS {
      MATCH (n)-[:MENTIONS]->(e:Entity)
      WHERE e.space = $space AND e.key IN $selves
    }
  }) AS others
}
RETURN
  m.content AS content,
  COLLECT {
    MATCH (n:Memory {id: $beside})
    WHERE n.space = $space
    RETURN n {.id, .content}
  }[0] AS beside,
  m.speaker AS speaker,
  COLLECT {
    MATCH (m)-[r:MENTIONS]->(e:Entity)
    WHERE e.space = $space AND r.role = 'named' AND coalesce(e.name <> m.speaker, true) AND coalesce(e.key <> m.subject, true)
    RETURN e.name ORDER BY e.key LIMIT 1
  }[0] AS topic,
  goals,
  others
