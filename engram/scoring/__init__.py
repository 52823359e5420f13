"""Scoring: what a memory's history, evidence and company are worth now, as pure functions over arrays.

- `weight`: how much a memory matters, as a Beta distribution.
- `activation`: how ready it is to be retrieved, by ACT-R's equation.
- `relevance`: how well it fits the moment, as a Dirichlet blend of five components that learns from outcomes.

Nothing here reads a clock or a global seed: ages, and a `numpy.random.Generator`, are passed in.
"""
