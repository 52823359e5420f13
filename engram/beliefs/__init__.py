"""What is believed and why.

why.py        the chain of evidence of a memory, from its graph
drawing.py    that chain for Graphviz, and its statement for Neo4j Browser
history.py    what has happened to a memory, as dated events
believed.py   what was believed then, beside what is believed now
"""
