CYPHER 25
// Read whether the vector index keeps its vectors rounded, as those of the first version do.
// returns: quantized (boolean); no row where there is no such index
SHOW INDEXES YIELD name, options
WHERE name = 'memory_embedding'
// Told by either, according to the kind of the index.
RETURN coalesce(
  options.indexConfig['vector.quantization.type'] <> 'NONE',
  options.indexConfig['vector.quantization.enabled'],
  false
) AS quantized
