CYPHER 25
// Why a memory is believed, as a graph: from it, level by level, to what it rests on, what it replaced and what replaced
// it, what strengthened it, and what it is in tension with, down to the turns and their sessions. Paste it into Neo4j
// Browser to see it drawn. Each node is opened once, where it is first reached, so that no circle hangs it and a
// lattice costs no more than its edges. What is too deep or too broad to be shown is counted.
// Every node is returned once for each step to it and not as the end of one path and the beginning of the next: with
// its embedding it is most of what travels.
// $space: string, whose
// $id: string, the memory's
// $depth: integer, most steps from the memory
// $breadth: integer, most steps of one role that are shown from one node
// $width: integer, steps of one role that the nodes of one level share; so many nodes show one at least, more nothing
// returns: depth (0: the memory itself), role (string, '' of the memory itself), total (integer, steps of this role from
//   the node above), link (the relationship), node (where it leads; where none of a role is shown, link is null and
//   this the node above), level by level
MATCH (m:Memory {id: $id})
WHERE m.space = $space
WITH m, {
  // What is followed on from a node that was reached by a role: evidence with what speaks against it, supersession in
  // the direction that it has, and all down to its turns.
  ``: [
    'DERIVED_FROM', 'DISPUTED_IN', 'IN_TENSION_WITH', 'REINFORCED_BY', 'REINFORCES', 'SUPERSEDED_BY', 'SUPERSEDES',
    'TENSION_BETWEEN'
  ],
  DERIVED_FROM: [
    'DERIVED_FROM', 'DISPUTED_IN', 'IN_TENSION_WITH', 'PART_OF', 'SUPERSEDED_BY', 'SUPERSEDES', 'TENSION_BETWEEN'
  ],
  DISPUTED_IN: ['DERIVED_FROM', 'TENSION_BETWEEN'],
  SUPERSEDED_BY: ['DERIVED_FROM', 'SUPERSEDED_BY'],
  SUPERSEDES: ['DERIVED_FROM', 'SUPERSEDES']
} AS onward
UNWIND reduce(
  walk = [[{depth: 0, role: '', total: 1, link: null, node: m}]],
  depth IN range(1, $depth + 1) |
  walk + [COLLECT {
    UNWIND range(0, size(walk[-1]) - 1) AS place
    WITH walk[-1][place].node AS n, place
    WHERE NOT n IN reduce(opened = [], level IN walk[..-1] | opened + [step IN level | step.node])
    WITH n, min(place) AS place
    ORDER BY place
    WITH collect(walk[-1][place]) AS reached
    UNWIND range(0, size(reached) - 1) AS place
    WITH reached[place].node AS n, reached[place] AS arrival, place,
      CASE
        WHEN depth > $depth OR place >= $width THEN 0
        WHEN size(reached) * $breadth <= $width THEN $breadth
        WHEN size(reached) >= $width THEN 1
        ELSE $width / size(reached)
      END AS shown
    CALL (n) {
      MATCH (n)-[link:DERIVED_FROM|PART_OF|REINFORCES|SUPERSEDES|IN_TENSION_WITH|TENSION_BETWEEN]->(x)
      RETURN link, x, type(link) AS role
      UNION ALL
      MATCH (n)<-[link:REINFORCES|SUPERSEDES|IN_TENSION_WITH|TENSION_BETWEEN]-(x)
      RETURN link, x, CASE type(link)
        WHEN 'REINFORCES' THEN 'REINFORCED_BY'
        WHEN 'SUPERSEDES' THEN 'SUPERSEDED_BY'
        WHEN 'TENSION_BETWEEN' THEN 'DISPUTED_IN'
        ELSE 'IN_TENSION_WITH'
      END AS role
    }
    WITH n, place, shown, arrival, link, x, role
    WHERE x.space = $space
      AND role IN coalesce(onward[arrival.role], ['DERIVED_FROM', 'PART_OF'])
      AND (arrival.link IS NULL OR link <> arrival.link)
    ORDER BY place, role, coalesce(x.event_at, x.at), x.id
    WITH n, place, shown, role, collect({link: link, node: x}) AS steps
    ORDER BY place, role
    UNWIND CASE WHEN shown = 0 THEN [{link: null, node: n}] ELSE steps[..shown] END AS step
    RETURN step {.link, .node, depth: depth, role: role, total: size(steps)}
  }]
) AS level
UNWIND level AS step
RETURN step.depth AS depth, step.role AS role, step.total AS total, step.link AS link, step.node AS node
