CYPHER 25
// One node a safety event, so that keeping one twice keeps one.
// Running it twice: no change.
CREATE CONSTRAINT safety_event_id IF NOT EXISTS
FOR (e:SafetyEvent) REQUIRE e.id IS UNIQUE
