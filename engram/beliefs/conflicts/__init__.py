"""Contradictions: what is said against what is held.

verdicts.py   what the outcomes are
structure.py  what slots, times and voices alone decide
asking.py     a model's word, where these leave it open
judging.py    the judgement, guarded, and carried out
outcomes.py   how a supersession or a tension is written
tensions.py   the memories that tell of tensions, and how they end
disputes.py   tensions for people
behaviour.py  what is valued against what is done
"""
