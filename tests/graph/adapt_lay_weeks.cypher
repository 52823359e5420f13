CYPHER 25
// Lay what gates' decisions came to by hand, week by week.
// $space: string, whose
// $weeks: list of maps {week, counters (map)}
MERGE (c:ConsolidationConfig {space: $space})
WITH c
UNWIND $weeks AS row
MERGE (c)-[:SHOWN_BY]->(o:GateOutcome {space: $space, week: row.week})
SET o += row.counters
