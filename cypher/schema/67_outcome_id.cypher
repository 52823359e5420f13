CYPHER 25
// An outcome is found by its id, and there is one of each.
// Running it twice: no change.
CREATE CONSTRAINT outcome_id IF NOT EXISTS FOR (o:Outcome) REQUIRE o.id IS UNIQUE
