CYPHER 25
// Lay memories in every state that something has to be done about, each with the id `<space>:<name>`, and what clusters,
// boxes and snapshots know of them. What is not said of one is as it is with a memory that is there.
// $space: string, whose
// $at: datetime, when all of it came about; after what is there
CALL () {
  MATCH (model:Memory {space: $space, status: 'active'})
  RETURN model ORDER BY model.content LIMIT 1
}
UNWIND [
  {name: 'older', label: 'Semantic', status: 'superseded', properties: {}},
  {name: 'newer', label: 'Semantic', status: 'active', properties: {}},
  {name: 'low', label: 'Semantic', status: 'active', properties: {}},
  {name: 'middle', label: 'Semantic', status: 'active', properties: {}},
  {name: 'high', label: 'Semantic', status: 'active', properties: {}},
  {name: 'saying', label: 'Tension', status: 'active', properties: {}},
  {name: 'kept', label: 'Semantic', status: 'active', properties: {}},
  {name: 'refused', label: 'Semantic', status: 'archived', properties: {}},
  {name: 'promoted', label: 'Semantic', status: 'active', properties: {
    tier: 'longTerm', promote_due_at: null, due_tier: null, pattern_stage: 1
  }},
  {name: 'insight', label: 'Reflection', status: 'active', properties: {dreamed: 'insight'}},
  {name: 'withdrawn', label: 'Reflection', status: 'archived', properties: {dreamed: 'insight', withdrawn_at: $at}},
  {name: 'correction', label: 'Correction', status: 'active', properties: {}},
  {name: 'faded', label: 'Semantic', status: 'archived', properties: {archived_run: $space + ':run'}},
  {name: 'ranked', label: 'Semantic', status: 'active', properties: {_strength: 1.0, _rank: 0.5, _community: 'one'}},
  {name: 'beside', label: 'Semantic', status: 'active', properties: {_community: 'other', compressed_by: 'model'}},
  {name: 'ancient', label: 'Episodic', status: 'active', properties: {
    tier: 'working', due_tier: null, embed_due: null, days_used: null, accessed_at: [$at]
  }}
] AS row
CALL (model, row) {
  CREATE (m:Memory:$(row.label))
  SET m = model {
    .*, id: $space + ':' + row.name, content_hash: 'hash of ' + $space + ':' + row.name,
    content: 'this is what ' + $space + ' holds as ' + row.name, kind: toLower(row.label), status: row.status,
    source_tag: 'external_user', immutable: false
  }
  SET m += row.properties
}
WITH count(*) AS laid
MATCH (older:Memory {id: $space + ':older'}), (newer:Memory {id: $space + ':newer'})
MATCH (low:Memory {id: $space + ':low'}), (high:Memory {id: $space + ':high'})
MATCH (kept:Memory {id: $space + ':kept'}), (refused:Memory {id: $space + ':refused'})
MATCH (insight:Memory {id: $space + ':insight'}), (promoted:Memory {id: $space + ':promoted'})
MATCH (ranked:Memory {id: $space + ':ranked'}), (beside:Memory {id: $space + ':beside'})
MATCH (ancient:Memory {id: $space + ':ancient'})
CREATE (newer)-[:SUPERSEDES {at: $at, reason: 'moved', by: 'user', correction: false}]->(older)
CREATE (low)-[:IN_TENSION_WITH {space: $space, state: 'open', at: $at, why: 'they disagree', surfaced: 0}]->(high)
CREATE (kept)-[:IN_TENSION_WITH {
  space: $space, state: 'resolved', at: $at, why: 'they disagree', kept: kept.id, how: 'asked', resolved_at: $at
}]->(refused)
CREATE (insight)-[:DERIVED_FROM {at: $at, citation: 'as it was'}]->(older)
CREATE (insight)-[:DERIVED_FROM {at: $at, citation: 'as it is'}]->(newer)
CREATE (beside)-[:CO_ACCESSED {
  weight: 1.0, weight_at: $at, count: 2, first_at: $at, last_at: $at, _binding: 2.0
}]->(ranked)
CREATE (ancient)-[:DERIVED_FROM {at: $at, citation: 'this is'}]->(:Turn {
  id: $space + ':turn', space: $space, text: 'this is what was said in ' + $space, at: $at, created_at: $at, speaker: 'Noor',
  extract_lease_until: $at
})
CREATE (:Archived {
  id: promoted.id + '-shortTerm', space: $space, memory: promoted.id, run: $space + ':run', tier: 'archivedShortTerm',
  at: $at, energy: 3.0, last: true, version: promoted.version,
  access_count: promoted.access_count, reinforced_count: coalesce(promoted.reinforced_count, 0)
})-[:CRYSTALLIZED_INTO {at: $at, energy: 3.0}]->(promoted)
CREATE (cluster:SemanticCluster {
  id: $space + ':cluster', space: $space, status: 'active', label: 'where one lives', size: 2, formed_at: $at,
  updated_at: $at, centroid: newer.embedding, cohesion: 0.9
})
CREATE (newer)-[:BELONGS_TO {strength: 0.9}]->(cluster)
CREATE (low)-[:BELONGS_TO {strength: 0.8}]->(cluster)
CREATE (open:MemoryBox {id: $space + ':open', space: $space, session: 'a day', size: 1, started_at: $at, due: 'seal'})
CREATE (newer)-[:IN_BOX {at: $at, place: 0}]->(open)
CREATE (sealed:MemoryBox {
  id: $space + ':sealed', space: $space, session: 'a day', size: 1, started_at: $at, ended_at: $at, sealed_at: $at,
  sealed_why: 'full', due: 'trace', centroid: low.embedding, centroid_b: low.embedding
})
CREATE (low)-[:IN_BOX {at: $at, place: 0}]->(sealed)
CREATE (trace:Trace {
  id: $space + ':trace', space: $space, boxes: 1, started_at: $at, last_at: $at, centroid: low.embedding
})
CREATE (sealed)-[:IN_TRACE]->(trace)
