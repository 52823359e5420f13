"""What the agent is after: goals with weights, none of which may outweigh the others by too much.

records.py      what a goal is, and in which states it can be
keeping.py      goals of a space: set, proposed, changed, ranked
stored.py       the same in one transaction
budget.py       the weight that one goal may have beside the others
session.py      what a conversation does to a goal: it gets on, is stuck, or rests
mentioning.py   which goals something that was said speaks of
proposing.py    what sounds like a goal, or like getting on with one
explaining.py   what a goal's priority is made of
"""

from engram.goals.budget import FEWEST, within_budget
from engram.goals.explaining import Explained
from engram.goals.keeping import MAX_BYTES, Goals
from engram.goals.records import Goal, GoalState

__all__ = ["FEWEST", "MAX_BYTES", "Explained", "Goal", "GoalState", "Goals", "within_budget"]
