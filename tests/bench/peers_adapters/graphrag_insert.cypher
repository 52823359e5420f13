CYPHER 25
// Create a conversation's turns under the label that its indexes cover, which is left to the library's user.
// $label: STRING, the conversation's own label
// $turns: LIST<MAP {id, text, at, speaker}>
// returns: element_id, the node's; rows in the order of $turns
// Running it twice: stores the turns twice.
UNWIND range(0, size($turns) - 1) AS position
CREATE (turn:$($label))
SET turn = $turns[position]
RETURN elementId(turn) AS element_id
ORDER BY position
