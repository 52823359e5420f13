CYPHER 25
// Lay layers of memories, of which each rests on all of the next layer.
// $space: string, whose
// $sizes: list of integers, memories in each layer
// $now: datetime, when all of them came about
UNWIND range(0, size($sizes) - 1) AS layer
UNWIND range(1, $sizes[layer]) AS number
WITH layer, number, reduce(text = toString(number), _ IN range(1, 4 - size(toString(number))) | '0' + text) AS place
CREATE (m:Memory:Reflection {
  space: $space, content_hash: $space + '-' + layer + '-' + place, content: layer + ', ' + number,
  id: left($space, 0) + 'a' + layer + 'b' + place + right($space, 12),
  kind: 'reflection', tier: 'working', status: 'active', event_at: $now + duration({seconds: number}), layer: layer
})
WITH layer, collect(m) AS memories
ORDER BY layer
WITH collect(memories) AS layers
UNWIND range(1, size(layers) - 1) AS below
UNWIND layers[below - 1] AS upper
UNWIND layers[below] AS lower
CREATE (upper)-[:DERIVED_FROM {at: $now}]->(lower)
