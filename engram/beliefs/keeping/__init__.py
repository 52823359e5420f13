"""From facts to memories, each once.

keeper.py     keeps, merges or drops
candidate.py  what is checked of a fact before
sameness.py   when two facts are one
listing.py    facts for people
"""
