CYPHER 25
// Learn from one recall: what came back was used, what nearly did was not, and what came back together
// belongs together a little more; and record the recall with every term of its scores. In one transaction.
// All memories are locked in ascending id before anything is read, so that no increment is lost.
// Truth is not touched: being recalled is no evidence. Each step counts less the more evidence there is, no step
// lifts a weight over a ceiling that is enforced, and of one session, or of one day outside of any, no more than
// $session_cap uses count.
// $space: string, whose
// What the hits are in tension with is locked with them: the tension has surfaced.
// $ids: list of strings, sorted: every memory below
// $hits: list of maps {id, rank, score, activation, terms (map of floats), lift (list of 5 floats)}
// $missed: list of strings, ids of the near misses
// $pairs: list of lists of two ids, the lower first, sorted
// $recall: map {id, query, query_hash, text_hash, mode, k, hops, session, active, partial}: text_hash is the
//   tombstone that erasing the same words leaves, active the ids at hand, partial whether more was shown than used
// $energy: map {rates, bars, expiry, days, span_days}: decay per hour and bar of promotion by tier, the energy of
//   what has expired, and on how many days over how many a memory is used that becomes long-term by habit
// $access: map {energy, weight, miss, prior, session_cap, kept, fatigue}: what a use adds to energy and weight,
//   what a near miss adds against, the evidence of a new memory, the uses of one session that count, the access times
//   that are kept, and after how many recalls an open tension is acknowledged
// $safety: map {phase, odds, rate}: up to which phase ceilings are enforced (0 none, 1 to 3), the odds of a weight at
//   the cap, and the share by which its centre may rise above what the last cycle of the job safety saw
// $edge: map {half, decay}: the weight of an edge at which a joint recall adds half, and its decay per day
// $confidence: map {grace_days, doubt, floor, step}: after how many idle days an edge loses how much confidence a day,
//   down to what, and what a joint use gives back (engram.scoring.relevance)
// $idle: map {least_days, tick, tick_days, stale_days, stale_accesses, stale_contradict, stale_every_days}: what idle
//   days say against a memory; consolidate/decay_memories says how
// $idle_minutes: integer, unused for so long, the session has ended
// $now: datetime, when
// returns: used (integer), missed (integer), pairs (integer), over (list of maps {ceiling, phase, alpha, id,
//   before, after}: steps that a ceiling stands against: the most that it allows alpha, the centre before, and what
//   it would have been)
// Running it twice: the recall is recorded once and nothing is learned again.
MERGE (r:Recall {id: $recall.id})
  ON CREATE SET
    r.space = $space,
    r.at = $now,
    r.mode = $recall.mode,
    r.k = $recall.k,
    r.hops = $recall.hops,
    r.session = $recall.session,
    r.active = $recall.active,
    r.partial = $recall.partial,
    r.fresh = true
WITH r
WHERE r.fresh
REMOVE r.fresh
WITH r
CALL () {
  UNWIND CASE WHEN $recall.session IS NULL THEN [] ELSE [$recall.session] END AS name
  MERGE (s:Session {space: $space, id: name})
    ON CREATE SET s.created_at = $now
  SET s._lock = true
  REMOVE s._lock
  // What was recalled before the session was ended does not open it again.
  SET s.closes_at = CASE
    WHEN s.closed_at >= $now OR s.closes_at > $now + duration({minutes: $idle_minutes}) THEN s.closes_at
    ELSE $now + duration({minutes: $idle_minutes})
  END
  RETURN collect(s)[0] AS session
}
CALL () {
  UNWIND $hits AS hit
  MATCH (m:Memory {id: hit.id})-[t:IN_TENSION_WITH]-(other:Memory)
  WHERE m.space = $space AND other.space = $space AND t.state IN ['open', 'acknowledged'] AND NOT other.id IN $ids
  RETURN collect(DISTINCT other.id) AS opposed
}
CALL (opposed) {
  UNWIND $ids + opposed AS id
  MATCH (m:Memory {id: id})
  WHERE m.space = $space
  WITH m ORDER BY m.id
  SET m._lock = true
  REMOVE m._lock
  RETURN count(CASE WHEN m.id IN $ids THEN 1 END) AS locked
}
// Something was erased meanwhile: the question may quote it, and is forgotten with it.
WITH r, session, locked = size($ids) AND NOT EXISTS {
  MATCH (:Tombstone {space: $space, content_hash: $recall.text_hash})
} AS repeatable
SET
  r.query = CASE WHEN repeatable THEN $recall.query END,
  r.query_hash = CASE WHEN repeatable THEN $recall.query_hash END
WITH r, session
CALL (r, session) {
  UNWIND $hits AS hit
  MATCH (m:Memory {id: hit.id})
  WHERE m.space = $space
  CREATE (r)-[returned:RETURNED {rank: hit.rank, score: hit.score, lift: hit.lift}]->(m)
  SET
    returned += hit.terms,
    returned.weight_before = m.weight_alpha / (m.weight_alpha + m.weight_beta)
  CALL (m) {
    // What idle time says against it, as the job decay would have written it by now: this use ends it.
    WITH m,
      ($now.epochSeconds - m.last_accessed_at.epochSeconds) / 86400 AS days,
      coalesce(m.idle_since = m.last_accessed_at, false) AS counted
    WHERE days >= $idle.least_days AND NOT m.immutable
    WITH m,
      days / $idle.tick_days * $idle.tick_days - CASE WHEN counted THEN m.idle_days ELSE 0 END AS days,
      CASE
        WHEN days < $idle.stale_days OR m.access_count >= $idle.stale_accesses THEN 0
        ELSE 1 + (days - $idle.stale_days) / $idle.stale_every_days
      END - CASE WHEN counted THEN m.idle_quarters ELSE 0 END AS quarters
    SET m.weight_beta = m.weight_beta
      + CASE WHEN days > 0 THEN days * $idle.tick ELSE 0.0 END
      + CASE WHEN quarters > 0 THEN quarters * $idle.stale_contradict ELSE 0.0 END
  }
  WITH m, hit, session, returned
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
        a.activation = hit.activation
      RETURN earlier
    }
  }
  WITH m, returned, CASE WHEN earlier < $access.session_cap THEN 1.0 ELSE 0.0 END AS counts
  CALL (m, returned, counts) {
    WITH m, returned,
      CASE WHEN m.immutable THEN 0.0 ELSE counts * $access.weight END AS step,
      m.weight_alpha + m.weight_beta AS evidence,
      (1.0 + $safety.rate) * m.weight_alpha_seen / (m.weight_alpha_seen + m.weight_beta_seen) AS highest
    WITH m, returned, step, evidence, highest,
      m.weight_alpha + step * log(2.0)
        / log(2.0 + CASE WHEN evidence > $access.prior THEN evidence - $access.prior ELSE 0.0 END) AS alpha
    WITH m, returned, alpha, [
      // A bound that there is none of is null, and nothing is over it.
      each IN [
        {ceiling: 'weight_cap', phase: 1, alpha: $safety.odds * m.weight_beta},
        {
          ceiling: 'rate_limit',
          phase: 2,
          alpha: CASE WHEN highest < 1.0 THEN highest / (1.0 - highest) * m.weight_beta END
        },
        {ceiling: 'circuit_breaker', phase: 3, alpha: CASE WHEN m.weight_paused THEN m.weight_alpha END}
      ]
      WHERE step > 0.0 AND alpha > each.alpha AND (each.phase = 1 OR each.phase <= $safety.phase) |
        each {
          .*,
          id: m.id,
          before: m.weight_alpha / evidence,
          after: alpha / (alpha + m.weight_beta)
        }
    ] AS over
    WITH m, returned, over, reduce(
      most = alpha,
      each IN over | CASE WHEN each.phase <= $safety.phase AND each.alpha < most THEN each.alpha ELSE most END
    ) AS most
    // What stands above a ceiling already is not lowered.
    SET m.weight_alpha = CASE WHEN most > m.weight_alpha THEN most ELSE m.weight_alpha END
    SET returned.weight_after = m.weight_alpha / (m.weight_alpha + m.weight_beta)
    RETURN over
  }
  WITH m, counts, over,
    coalesce(m.due_tier, m.tier) AS tier,
    m.energy * exp(-$energy.rates[coalesce(m.due_tier, m.tier)] * CASE
      WHEN m.energy_at < $now
      THEN ($now.epochSeconds - m.energy_at.epochSeconds) / 3600.0
        + ($now.microsecond - m.energy_at.microsecond) / 3.6e9
      ELSE 0.0
    END) AS settled,
    CASE WHEN m.energy_at < $now THEN $now ELSE m.energy_at END AS settled_at,
    coalesce(m.first_used_on, date($now)) AS first_used_on,
    coalesce(m.days_used, 0) + CASE WHEN m.last_used_on >= date($now) THEN 0 ELSE 1 END AS days_used
  WITH m, counts, over, tier, settled_at, first_used_on, days_used,
    settled + counts * $access.energy AS energy,
    days_used >= $energy.days
      AND duration.inDays(first_used_on, date($now)).days >= $energy.span_days AS habitual
  WITH m, counts, over, tier, settled_at, first_used_on, days_used, energy,
    CASE
      WHEN tier = 'longTerm' OR habitual OR energy > $energy.bars.shortTerm THEN 'longTerm'
      WHEN tier = 'shortTerm' OR energy > $energy.bars.working THEN 'shortTerm'
      ELSE 'working'
    END AS reached
  WITH m, counts, over, settled_at, first_used_on, days_used, energy, reached,
    CASE
      WHEN reached = tier THEN 0
      WHEN tier = 'working' AND reached = 'longTerm' THEN 2
      ELSE 1
    END AS steps
  SET
    m.access_count = m.access_count + 1,
    m.accessed_at = (m.accessed_at + $now)[-$access.kept..],
    m.last_accessed_at = CASE WHEN m.last_accessed_at < $now THEN $now ELSE m.last_accessed_at END,
    m.first_used_on = first_used_on,
    m.last_used_on = CASE WHEN m.last_used_on > date($now) THEN m.last_used_on ELSE date($now) END,
    m.days_used = days_used,
    m.energy = energy,
    m.energy_at = settled_at,
    m.expires_at = CASE
      WHEN energy > $energy.expiry
      THEN settled_at
        + duration({microseconds: toInteger(log(energy / $energy.expiry) / $energy.rates[reached] * 3.6e9)})
      ELSE m.expires_at
    END,
    // The job carries out what is due; energy fades at the new tier's rate from now on, whenever that is.
    m.due_tier = CASE WHEN steps > 0 THEN reached ELSE m.due_tier END,
    m.promote_due_at = CASE WHEN steps > 0 THEN coalesce(m.promote_due_at, settled_at) ELSE m.promote_due_at END,
    m.promote_times = CASE
      WHEN steps > 0 THEN coalesce(m.promote_times, []) + [settled_at, settled_at][..steps]
      ELSE m.promote_times
    END,
    m.promote_energies = CASE
      WHEN steps > 0 THEN coalesce(m.promote_energies, []) + [energy, energy][..steps]
      ELSE m.promote_energies
    END,
    // What a job has put away comes back as dormant memories do; what a person has, does not.
    m.version = m.version + CASE WHEN m.status = 'dormant' OR m.archive_reason IS NOT NULL THEN 1 ELSE 0 END,
    m.status = CASE WHEN m.status = 'dormant' OR m.archive_reason IS NOT NULL THEN 'active' ELSE m.status END,
    m.lifecycle_state = CASE WHEN m.archive_reason IS NULL THEN m.lifecycle_state ELSE m.archived_state END,
    m.archive_reason = null,
    m.archived_at = null,
    m.archived_run = null,
    m.archived_state = null
  RETURN count(m) AS used, reduce(all = [], each IN collect(over) | all + each) AS over
}
CALL () {
  UNWIND $missed AS id
  MATCH (m:Memory {id: id})
  WHERE m.space = $space AND NOT m.immutable
  WITH m,
    CASE WHEN m.missed_on = date($now) THEN m.missed_count ELSE 0 END AS earlier,
    log(2.0) / log(2.0 + CASE
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
  WITH c, exp(-$edge.decay * CASE
    WHEN coalesce(c.weight_at, c.last_at) < $now
    THEN ($now.epochSeconds - coalesce(c.weight_at, c.last_at).epochSeconds) / 86400.0
    ELSE 0.0
  END) AS left, CASE
    WHEN c.last_at < $now THEN ($now.epochSeconds - c.last_at.epochSeconds) / 86400.0 - $confidence.grace_days
    ELSE 0.0
  END AS idle
  WITH c, left, coalesce(c.confidence, 1.0) - CASE WHEN idle > 0.0 THEN $confidence.doubt * idle ELSE 0.0 END AS faded
  WITH c, left, $confidence.step + CASE WHEN faded > $confidence.floor THEN faded ELSE $confidence.floor END AS surer
  SET
    // As of the last joint use; readers subtract what idle time has taken since. Absent, it is 1.
    c.confidence = CASE WHEN surer < 1.0 THEN surer END,
    c.count = c.count + 1,
    c.weight = c.weight * left + $edge.half / ($edge.half + c.weight * left),
    c.weight_at = CASE WHEN c.weight_at > $now THEN c.weight_at ELSE $now END,
    c.last_at = CASE WHEN c.last_at > $now THEN c.last_at ELSE $now END
  RETURN count(c) AS pairs
}
CALL () {
  UNWIND $hits AS hit
  MATCH (m:Memory {id: hit.id})-[t:IN_TENSION_WITH]-(other:Memory)
  WHERE m.space = $space AND other.space = $space AND t.state IN ['open', 'acknowledged']
  WITH DISTINCT t
  WITH t, coalesce(t.surfaced, 0) + 1 AS surfaced
  SET
    t.surfaced = surfaced,
    t.state = CASE WHEN surfaced >= $access.fatigue THEN 'acknowledged' ELSE t.state END
  RETURN count(*) AS surfaced
}
MERGE (b:RelevanceBlend {space: $space})
  ON CREATE SET
    b.experience = 0.0,
    b.offsets = [0.0, 0.0, 0.0, 0.0, 0.0]
SET b.experience = b.experience + 1.0
RETURN used, missed, pairs, over
