CYPHER 25
// Keep what ceilings have stopped, or would have stopped were they enforced.
// $space: string, whose
// $events: list of maps {id, at, ceiling, phase, enforced, subject, reason, before, after}
// Running it twice: the events are there and stay as they are.
UNWIND $events AS event
MERGE (e:SafetyEvent {id: event.id})
  ON CREATE SET
    e = event,
    e.space = $space
