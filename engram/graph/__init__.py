"""The one package that talks to the Neo4j driver.

connection.py   `Graph`: statements and transactions, routed as reads or writes, with bookmarks
address.py      the driver's options for an address: encryption, whom to trust
retries.py      trying again what fails in passing
values.py       the driver's values as plain ones
errors.py       the driver's exceptions as Engram's

Values that leave it are plain Python: `datetime` in UTC, lists, and for graph elements small dataclasses. Errors that
leave it are Engram's.
"""

from engram.graph.connection import Graph, Transaction
from engram.graph.values import Node, Outcome, Path, Row, Step

__all__ = ["Graph", "Node", "Outcome", "Path", "Row", "Step", "Transaction"]
