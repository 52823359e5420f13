"""What is learned from outcomes: the gates' numbers, the blend of relevance, how long a short form is.

gate_tuning.py    which number moves, by how much, and why
blend_history.py  what the blend has been, and the way back
guidelines.py     how short forms do, and how long they are to be
"""
