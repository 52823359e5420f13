"""Another embedding model for a database, while it is in use.

A database has two slots for vectors. A reindex makes those of the new model in the slot that is not in use, and then puts
it to use in one small transaction; the old vectors stay until somebody confirms the new ones, or goes back.

    nothing -> filling -> settling -> kept -> clearing -> nothing
                  |                     |
                  v                     v
               clearing             returning -> settling -> kept

- `lease`: one process at a time does this, and none while a space is restored.
- `filling`: what lacks a vector gets one.
- `switching`: the states above, and what leads from one to the next; each is recorded, so that what was cut off goes on.

Nothing stored meanwhile is lost, whoever stores it. While vectors are being made, and after the switch in a process that
was opened before it, writers make vectors of the model that they know and mark what they store (`embed_due`); what is
marked gets its vector before the switch, or from the next process that opens the database (`catch_up`).
"""

from engram.reindexing.filling import catch_up
from engram.reindexing.switching import Reindexed, Standing, confirm, go_back, reindex, standing

__all__ = [
    "Reindexed",
    "Standing",
    "catch_up",
    "confirm",
    "go_back",
    "reindex",
    "standing",
]
