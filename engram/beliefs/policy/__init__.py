"""How long a memory is kept at hand, and how far it is to be believed.

rules.py     states and what they follow from
standing.py  what of a memory they depend on
kinds.py     episode or note
actions.py   what may be done with a memory
boxes.py     episodes on one subject
marking.py   what a person says of them by hand
"""
