"""Ceilings on what reinforces itself: what no weight, goal or parameter may do however often it is used.

ceilings   the ceilings as values, each a pure check of one change
measures   what the checks measure: entropy, coherence, what a parameter gains
record     what fired, kept as `:SafetyEvent`, and where a space stands

All of them are evaluated from the first day. Which ones are enforced is `safety.enforced_phase`; the others run in
shadow and only record what they would have stopped.

Source: v4 plan, 3.9.
"""

from .ceilings import CEILINGS, Ceiling, Change, Phase, SafetyEvent, Verdict, ceilings, two_gate
from .record import Cycle, Safety, State, Tally, read_state, record_events

__all__ = [
    "CEILINGS",
    "Ceiling",
    "Change",
    "Cycle",
    "Phase",
    "Safety",
    "SafetyEvent",
    "State",
    "Tally",
    "Verdict",
    "ceilings",
    "read_state",
    "record_events",
    "two_gate",
]
