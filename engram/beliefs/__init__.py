"""What is believed and why; docs/beliefs.md has the rules.

front.py      the front door: `memory.beliefs`
facts.py      what is drawn from turns, before and after it is a memory
extraction/   from turns to facts
keeping/      from facts to memories
conflicts/    what contradicts what, and what becomes of it
names/        who is who
truth.py      how well something is evidenced
dreaming/     insights, merges and narratives
promotion/    what comes to matter by being evidenced again and again
policy/       what is kept at hand
adapting/     what is learned from outcomes
changes.py    the log of all that, and the way back

why.py        the chain of evidence of a memory, from its graph
drawing.py    that chain for Graphviz, and its statement for Neo4j Browser
history.py    what has happened to a memory, as dated events
believed.py   what was believed then, beside what is believed now
"""
