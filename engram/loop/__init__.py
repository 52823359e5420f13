"""The cognitive loop: every input through one pipeline, from attention to memory.

- `inputs`, `attention`: what wants to be thought about, and what wins
- `hearing`, `signals`, `entry_gate`, `scratch`, `journal`: what comes in is kept before anything else happens to it
- `assembly`, `identity`, `window`, `tokens`, `fencing`: what a model is told
- `responding`, `metacognition`, `escalation`: how sure it is, and when the slower model is asked
- `gatekeeper`, `exit_gate`, `contradiction`, `echo`, `compression`: what of it all becomes a memory
- `reflections`: what was corrected once, and is told before it happens again
- `quoting`: the answer where there is no model
- `restart`: how long it was away, and what was left unfinished
- `agent`: the loop itself; it yields `events`
"""
