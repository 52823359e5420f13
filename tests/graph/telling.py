"""Turns and facts drawn from them, for tests of what becomes of facts."""

from datetime import datetime
from typing import Any

from engram.beliefs.facts import Category, Fact, Quote
from engram.beliefs.keeping.keeper import Outcome, keep_facts
from engram.beliefs.truth import mean
from engram.memory import Engram
from engram.records import USER_TAG, Turn
from engram.remembering import turn_key
from tests.graph.beside import run


def said(
    memory: Engram,
    text: str,
    *,
    at: datetime,
    speaker: str = "Noor",
    session: str = "tea",
    tag: str = USER_TAG,
) -> str:
    """Say something and return the id of its turn."""
    name = at.isoformat()
    memory.remember_turns([Turn(text=text, speaker=speaker, at=at, session=session, id=name, source_tag=tag)])
    return turn_key(session, name, speaker, text)


def fact(content: str, *turns: str, at: datetime, **more: Any) -> Fact:
    """Return a fact that rests on turns, each quoted with the fact's own words; Noor says it of herself."""
    usual = {"category": Category.FACT, "speaker": "Noor", "source_tag": USER_TAG, "subject": "Noor"}
    quotes = more.pop("quotes", tuple(Quote(turn=turn, text=content) for turn in turns))
    return Fact(content=content, quotes=quotes, at=at, **usual | more)


def home(place: str, *turns: str, at: datetime, **more: Any) -> Fact:
    """Return the fact that Noor lives somewhere."""
    usual = {"slot": "home", "value": place, "single": True}
    return fact(f"Noor lives in {place}", *turns, at=at, **usual | more)


def told(memory: Engram, *facts: Fact) -> list[Outcome]:
    """Keep facts and return what became of each."""
    return list(keep_facts(memory, facts))


def moved(memory: Engram, place: str, *, at: datetime, **more: Any) -> Outcome:
    """Let Noor say where she lives, and keep that."""
    return told(memory, home(place, said(memory, f"I live in {place}", at=at), at=at, **more))[0]


def truths(memory: Engram) -> dict[str, tuple[float, float]]:
    """Return alpha and beta of every memory of the space, by id."""
    return {row["id"]: (row["alpha"], row["beta"]) for row in run(memory, "read_truths")}


def truth(memory: Engram, memory_id: str) -> float:
    """Return the mean of a memory's truth."""
    alpha, beta = truths(memory)[memory_id]
    return mean(alpha - 1.0, beta - 1.0)
