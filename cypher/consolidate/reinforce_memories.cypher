CYPHER 25
// Let new memories strengthen the older ones that they are like: an edge, and energy in proportion to the similarity.
// Found through the vector index, never by a scan; only what has left the working tier is strengthened, and the most
// similar few. All is as of the time at which the new memory was stored, however late this runs: what had left the
// working tier by then gains, and its energy is taken back to that time and judged there. Only where it has gained
// energy since, it is judged as of that gain.
// Everything is locked in ascending id before it is read again; what was reinforced meanwhile is left out.
// $space: string, whose
// $ids: list of strings, the new memories'
// $similarity: float, cosine above which an older memory is strengthened
// $width: integer, neighbours looked at for each new memory
// $partners: integer, how many of them it strengthens at most
// $boost: float, energy at similarity 1
// $cap: integer, how many of one day add energy to a memory
// $energy: map {rates, bars, expiry}: decay per hour and bar of promotion by tier, the energy of what has expired
// returns: one row: changed (integer, memories strengthened), examples (list of maps {id, by, similarity}, five at most)
// Running it twice: the second run finds nothing due and changes nothing.
CALL () {
  UNWIND $ids AS id
  MATCH (new:Memory {id: id})
  WHERE new.space = $space AND new.reinforce_due_at IS NOT NULL AND new.embedding IS NOT NULL
  CALL (new) {
    WITH new, new.embedding AS vector
    MATCH (old:Memory)
    SEARCH old IN (
      VECTOR INDEX memory_embedding
      FOR vector
      WHERE old.space = $space AND old.status = 'active'
      LIMIT $width
    ) SCORE AS score
    WHERE old <> new
      AND old.created_at <= new.reinforce_due_at
      AND (old.tier <> 'working' OR old.promote_times[0] <= new.reinforce_due_at)
      // By the path and not by the snapshot's id: looking that up would lock the index entry before the memories.
      AND NOT EXISTS {
        MATCH (old)<-[:PROMOTED_TO|CRYSTALLIZED_INTO]-+(a:Archived {tier: 'archivedWorking'})
        WHERE a.at > new.reinforce_due_at
      }
      AND 2.0 * score - 1.0 > $similarity
    WITH old, 2.0 * score - 1.0 AS similarity
    ORDER BY similarity DESC, old.id
    LIMIT $partners
    RETURN collect({memory: old, similarity: similarity}) AS alike
  }
  RETURN collect({memory: new, alike: alike}) AS pairs
}
CALL (pairs) {
  UNWIND pairs AS pair
  UNWIND [pair.memory] + [each IN pair.alike | each.memory] AS m
  WITH DISTINCT m ORDER BY m.id
  SET m._lock = true
  REMOVE m._lock
  RETURN count(*) AS locked
}
WITH [pair IN pairs WHERE pair.memory.reinforce_due_at IS NOT NULL] AS pairs
CALL (pairs) {
  UNWIND pairs AS pair
  WITH pair.memory AS new, pair.alike AS alike, pair.memory.reinforce_due_at AS at
  UNWIND alike AS each
  WITH new, each.memory AS old, each.similarity AS similarity, at
  WHERE old.status = 'active'
  MERGE (new)-[r:REINFORCES]->(old)
    ON CREATE SET
      r.strength = similarity,
      r.at = at
  WITH old, new, similarity, at ORDER BY at, new.id
  WITH old, collect({by: new.id, similarity: similarity, at: at}) AS boosts, max(at) AS latest
  // A long talk about one thing is one experience: of a day, in UTC, so many add energy and no more.
  WITH old, latest, boosts[0] AS first,
    boosts[..(CASE WHEN old.reinforced_on = date(latest) THEN $cap - old.reinforced_today ELSE $cap END)] AS boosts
  WITH old, boosts, first, latest, coalesce(old.due_tier, old.tier) AS tier,
    CASE
      WHEN old.last_accessed_at > latest OR old.last_reinforced_at > latest OR old.promote_times[-1] > latest
      THEN old.energy_at
      ELSE latest
    END AS now
  WITH old, boosts, first, latest, tier, now,
    reduce(
      energy = old.energy * exp(-$energy.rates[tier] * (
        (now.epochSeconds - old.energy_at.epochSeconds) / 3600.0
          + (now.microsecond - old.energy_at.microsecond) / 3.6e9
      )),
      each IN boosts | energy + $boost * each.similarity * exp(-$energy.rates[tier] * (
        (now.epochSeconds - each.at.epochSeconds) / 3600.0 + (now.microsecond - each.at.microsecond) / 3.6e9
      ))
    ) AS energy
  WITH old, boosts, first, latest, now, energy, tier = 'shortTerm' AND energy > $energy.bars.shortTerm AS due, tier
  SET
    old.energy = energy,
    old.energy_at = now,
    old.expires_at = CASE
      WHEN energy > $energy.expiry
      THEN now + duration({
        microseconds: toInteger(
          log(energy / $energy.expiry) / $energy.rates[CASE WHEN due THEN 'longTerm' ELSE tier END] * 3.6e9
        )
      })
      ELSE old.expires_at
    END,
    old.reinforced_today = size(boosts)
      + CASE WHEN old.reinforced_on = date(latest) THEN old.reinforced_today ELSE 0 END,
    old.reinforced_on = date(latest),
    old.reinforced_count = coalesce(old.reinforced_count, 0) + size(boosts),
    old.last_reinforced_at = CASE WHEN old.last_reinforced_at > latest THEN old.last_reinforced_at ELSE latest END,
    old.due_tier = CASE WHEN due THEN 'longTerm' ELSE old.due_tier END,
    old.promote_due_at = CASE WHEN due THEN coalesce(old.promote_due_at, now) ELSE old.promote_due_at END,
    old.promote_times = CASE WHEN due THEN coalesce(old.promote_times, []) + now ELSE old.promote_times END,
    old.promote_energies = CASE
      WHEN due THEN coalesce(old.promote_energies, []) + energy
      ELSE old.promote_energies
    END
  RETURN
    count(old) AS changed,
    collect({id: old.id, by: first.by, similarity: first.similarity})[..5] AS examples
}
FOREACH (pair IN pairs | SET pair.memory.reinforce_due_at = null)
RETURN changed, examples
