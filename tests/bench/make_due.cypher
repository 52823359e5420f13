CYPHER 25
// Let memories be due for promotion, as a use that crosses the bar of working memories does.
// $ids: list of strings
// $at: datetime, when they crossed it
// $energy: float, with what energy
UNWIND $ids AS id
MATCH (m:Memory {id: id})
SET
  m.energy = $energy,
  m.energy_at = $at,
  m.due_tier = 'shortTerm',
  m.promote_due_at = $at,
  m.promote_times = [$at],
  m.promote_energies = [$energy]
