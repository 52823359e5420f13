CYPHER 25
// One node of every label with a property of every type, and one relationship of every type from each to the next.
// $space: string, whose
// $labels: list of maps {labels (list of strings), key (map of properties)}
// $types: list of strings
// $zone: string
UNWIND $labels AS label
CREATE (n:$(label.labels))
SET n = label.key
SET
  n.space = $space,
  n.text_z = label.labels[0] + ' \'"\\ \u2028 \n`;$ \U01F525',
  n.whole = 9007199254740993,
  n.small = -9223372036854775808,
  n.tiny = 5.0e-324,
  n.third = 1.0 / 3,
  n.even = 2.0,
  n.minus = -0.0,
  n.endless = 1.0 / 0.0,
  n.yes = true,
  n.at_nano = datetime('2026-03-01T10:00:00.123456789Z'),
  n.at_zone = datetime('2026-03-01T10:00:00.5+01:00[' + $zone + ']'),
  n.at_offset = datetime('2026-03-01T10:00:00-03:30'),
  n.at_far = datetime('9999-12-31T00:00Z'),
  n.local = localdatetime('2026-03-01T10:00:00.000000001'),
  n.day = date('0001-01-01'),
  n.hour = time('10:00:00.1+01:00'),
  n.local_hour = localtime('23:59:59.999999999'),
  n.span = duration('P1Y2M3DT4H5M6.789S'),
  n.back = duration({days: -3, nanoseconds: -1}),
  n.texts = ['a', '', 'ä'],
  n.wholes = [1, -2],
  n.floats = [1.0, 1.0e300],
  n.flags = [true, false],
  n.none = [],
  n.times = [datetime('2026-03-01T10:00:00.000000001Z'), datetime('2026-03-02T10:00:00Z')]
WITH collect(n) AS nodes
UNWIND range(0, size($types) - 1) AS place
WITH nodes[place % size(nodes)] AS a, nodes[(place * 7 + 1) % size(nodes)] AS b, $types[place] AS type
CREATE (a)-[r:$(type)]->(b)
SET
  r.at = datetime('2026-03-01T10:00:00.123456789Z'),
  r.weight = 1.0 / 3,
  r.space = $space,
  r.role = 'é'
CREATE (a)-[:$(type) {role: 'another'}]->(b)
