"""What language models cost: every call is metered, recorded, summed, and held to a day's budget (v4 plan, 4.8).

metering   a chat model that meters another
ledger     keeps the calls, writes them behind the caller's back, and knows what was spent
report     lines and tables for people
"""

from engram.costs.ledger import Ledger
from engram.costs.records import Call, CostLine, Grouping, Spent
from engram.costs.report import cost_line, cost_report, cost_table

__all__ = [
    "Call",
    "CostLine",
    "Grouping",
    "Ledger",
    "Spent",
    "cost_line",
    "cost_report",
    "cost_table",
]
