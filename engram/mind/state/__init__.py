"""Working memory as a state: what is carried from one conversation into the next, of a bounded size.

`New = f(Old, Scratch, New memories, Dream insights)`: each cycle makes a new version out of the last one and of what came
since. Nothing is lost by it: what leaves is a pointer, a search that is known to find the memories which it stands for.

sections.py    the seven sections, as text and back
budget.py      how long it may be, by the model's context window
guards.py      what a new version must not be
pointers.py    a topic that leaves, as a search
seeding.py     a hand-written MEMORY.md, taken in once
signals.py     achievement, friction and bonding: what a cycle looks at most
"""
