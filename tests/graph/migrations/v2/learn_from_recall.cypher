CYPHER 25
// Learn from one recall: what came back was used, what nearly did was not, and what came back together
// belongs together a little more; and record the recall with every term of its scores. In one transaction.
// All memories are locked in ascending id before anything is read, so that no increment is lost.
// Truth is not touched: being recalled is no evidence. Each step is damped by the evidence there is, and
// of one session, or of one day outside of any, no more than $session_cap uses count.
// $space: string, whose
// $ids: list of strings, sorted: every memory below
// $hits: list of maps {id, rank, score, terms (map of floats), lift (list of 5 floats)}
// $missed: list of strings, ids of the near misses
// $pairs: list of lists of two ids, the lower first, sorted
// $recall: map {id, query, query_hash, mode, k, hops, session}
// $rates: map, tier to energy's decay per hour
// $access: map {energy, weight, miss, half, prior, session_cap, kept}: what a use adds to energy and weight,
//   what a near miss adds against, the evidence that halves a step and the evidence of a new memory,
//   the uses of one session that count, and the access times that are kept
// $bars: map, tier to the energy above which promotion is due
// $expiry_energy: float, a working memory below this has expired
// $pair_half: float, the weight of an edge at which a joint recall adds half
// $now: datetime, when
// returns: used (integer), missed (integer), pairs (integer)
// Running it twice: the recall is recorded once and nothing is learned again.
MERGE (r:Recall {id: $recall.id})
  ON CREATE SET
    r.space = $space,
    r.at = $now,
    r.query = $recall.query,
    r.query_hash = $recall.query_hash,
    r.mode = $recall.mode,
    r.k = $recall.k,
    r.hops = $recall.hops,
    r.session = $recall.session,
    r.fresh = true
WITH r
WHERE r.fresh
REMOVE r.fresh
WITH r
CALL () {
  UNWIND CASE WHEN $recall.session IS NULL THEN [] ELSE [$recall.session] END AS name
  MERGE (s:Session {space: $space, id: name})
    ON CREATE SET
      s.created_at = $now,
      s.started_at = $now,
      s.ended_at = $now
  SET s._lock = true
  REMOVE s._lock
  RETURN collect(s)[0] AS session
}
CALL () {
  UNWIND $ids AS id
  MATCH (m:Memory {id: id})
  WHERE m.space = $space
  SET m._lock = true
  REMOVE m._lock
  RETURN count(*) AS locked
}
CALL (r, session) {
  UNWIND $hits AS hit
  MATCH (m:Memory {id: hit.id})
  WHERE m.space = $space
  CREATE (r)-[returned:RETURNED {rank: hit.rank, score: hit.score, lift: hit.lift}]->(m)
  SET returned += hit.terms
  WITH m, hit, session
  CALL (m, hit, session) {
    WHEN session IS NULL THEN {
      RETURN size([t IN m.accessed_at WHERE date(t) = date($now)]) AS earlier
    }
    ELSE {
      MERGE (m)-[a:ACCESSED_IN]->(session)
        ON CREATE SET a.first_at = $now, a.count = 0
      WITH a, a.count AS earlier, hit
      SET
        a.count = a.count + 1,
        a.at = $now,
        a.activation = hit.terms.base_level + hit.terms.spreading + hit.terms.partial_match
      RETURN earlier
    }
  }
  WITH m,
    CASE WHEN earlier < $access.session_cap THEN 1.0 ELSE 0.0 END AS counts,
    $access.half / ($access.half + CASE
      WHEN m.weight_alpha + m.weight_beta > $access.prior THEN m.weight_alpha + m.weight_beta - $access.prior
      ELSE 0.0
    END) AS damping,
    m.energy * exp(-$rates[m.tier] * CASE
      WHEN m.energy_at < $now THEN ($now.epochMillis - m.energy_at.epochMillis) / 3600000.0
      ELSE 0.0
    END) AS settled
  WITH m, counts, damping, settled + counts * $access.energy AS energy
  SET
    m.access_count = m.access_count + 1,
    m.accessed_at = (m.accessed_at + $now)[-$access.kept..],
    m.last_accessed_at = CASE WHEN m.last_accessed_at < $now THEN $now ELSE m.last_accessed_at END,
    m.energy = energy,
    m.energy_at = CASE WHEN m.energy_at < $now THEN $now ELSE m.energy_at END,
    m.expires_at = CASE
      WHEN energy > $expiry_energy
      THEN $now + duration({milliseconds: toInteger(log(energy / $expiry_energy) / $rates[m.tier] * 3600000)})
      ELSE m.expires_at
    END,
    m.promote_due_at = CASE
      WHEN m.promote_due_at IS NULL AND energy > $bars[m.tier] THEN $now
      ELSE m.promote_due_at
    END,
    m.weight_alpha = m.weight_alpha + CASE WHEN m.immutable THEN 0.0 ELSE counts * damping * $access.weight END,
    m.status = CASE WHEN m.status = 'dormant' THEN 'active' ELSE m.status END
  RETURN count(m) AS used
}
CALL () {
  UNWIND $missed AS id
  MATCH (m:Memory {id: id})
  WHERE m.space = $space AND NOT m.immutable
  WITH m,
    CASE WHEN m.missed_on = date($now) THEN m.missed_count ELSE 0 END AS earlier,
    $access.half / ($access.half + CASE
      WHEN m.weight_alpha + m.weight_beta > $access.prior THEN m.weight_alpha + m.weight_beta - $access.prior
      ELSE 0.0
    END) AS damping
  SET
    m.missed_on = date($now),
    m.missed_count = earlier + 1,
    m.weight_beta = m.weight_beta
      + CASE WHEN earlier < $access.session_cap THEN damping * $access.miss ELSE 0.0 END
  RETURN count(m) AS missed
}
CALL () {
  UNWIND $pairs AS pair
  MATCH (a:Memory {id: pair[0]})
  WHERE a.space = $space
  MATCH (b:Memory {id: pair[1]})
  WHERE b.space = $space
  MERGE (a)-[c:CO_ACCESSED]->(b)
    ON CREATE SET c.weight = 0.0, c.count = 0, c.first_at = $now
  SET
    c.count = c.count + 1,
    c.weight = c.weight + $pair_half / ($pair_half + c.weight),
    c.last_at = $now
  RETURN count(c) AS pairs
}
MERGE (b:RelevanceBlend {space: $space})
  ON CREATE SET
    b.experience = 0.0,
    b.offsets = [0.0, 0.0, 0.0, 0.0, 0.0]
SET b.experience = b.experience + 1.0
RETURN used, missed, pairs
