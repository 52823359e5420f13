"""`engram why | history | believed`: what a memory rests on, what has happened to it, what was believed when."""

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any

import click
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from engram.beliefs.believed import Belief, Believed
from engram.beliefs.drawing import dot, pasted
from engram.beliefs.history import Event, History
from engram.beliefs.why import STATEMENT, parameters
from engram.records import Evidence

from .memory import SHORT, shortened
from .state import State, printable

_UNWRAPPED = 100_000
"""Columns of what is no terminal: a line is a line there."""
_ROLES = {
    "DERIVED_FROM": "rests on",
    "DISPUTED_IN": "is disputed in",
    "IN_TENSION_WITH": "is in tension with",
    "PART_OF": "part of",
    "REINFORCED_BY": "was strengthened by",
    "REINFORCES": "strengthened",
    "SUPERSEDED_BY": "was replaced by",
    "SUPERSEDES": "replaced",
    "TENSION_BETWEEN": "is between",
}
_FACTS: dict[str, Callable[[Any], str]] = {
    "times": lambda times: f"{times:,} times in all, this was the last",
    "rank": lambda rank: f"rank {rank}",
    "score": lambda score: f"score {score:.4f}",
    "useful": lambda useful: "useful" if useful else "not useful",
    "steps": lambda steps: f"{steps} steps away" if steps > 1 else "",
    "reason": lambda reason: f"because: {_one_line(str(reason))}",
    "why": lambda reason: f"because: {_one_line(str(reason))}",
    "energy": lambda energy: f"energy {energy:.2f}",
    "strength": lambda strength: f"strength {strength:.2f}",
    "state": str,
    "how": str,
}
"""What an event's details say, in words."""


@click.command()
@click.argument("memory_id", metavar="ID")
@click.option("--dot", "as_dot", is_flag=True, help="Print it for Graphviz: engram why ID --dot | dot -Tsvg.")
@click.option("--cypher", is_flag=True, help="Print the statement, to paste into Neo4j Browser.")
@click.pass_obj
def why(state: State, memory_id: str, as_dot: bool, cypher: bool) -> None:  # noqa: FBT001
    """Show what a memory rests on, replaced, was replaced by and disagrees with, down to the turns."""
    if as_dot and cypher:
        raise click.UsageError("--dot and --cypher exclude each other.")
    with state.open() as memory:
        if cypher:
            state.out(pasted(STATEMENT, parameters(memory.space, memory.get(memory_id).id)))
            return
        chain = memory.why(memory_id)
    if as_dot:
        state.out(dot(chain))
    elif state.json:
        state.print_json(chain)
    else:
        width = None if sys.stdout.isatty() else _UNWRAPPED
        Console(highlight=False, width=width).print(evidence_tree(chain))


@click.command()
@click.argument("memory_id", metavar="ID")
@click.pass_obj
def history(state: State, memory_id: str) -> None:
    """Show what has happened to a memory: versions, promotions, recalls; the newest last."""
    with state.open() as memory:
        found = memory.history(memory_id)
    if state.json:
        state.print_json(found)
        return
    for line in history_lines(found):
        state.out(line)


@click.command()
@click.argument("question", nargs=-1, required=True)
@click.option("--at", required=True, metavar="DATE", help="As of the end of that day, UTC.")
@click.option("-k", default=5, show_default=True, help="How many answers of each at most.")
@click.pass_obj
def believed(state: State, question: tuple[str, ...], at: str, k: int) -> None:
    """Show what a question was answered with at a time, beside what it is answered with now."""
    with state.open() as memory:
        found = memory.believed(" ".join(question), at, k=k)
    if state.json:
        state.print_json(found)
        return
    for line in believed_lines(found):
        state.out(line)


def evidence_lines(chain: Sequence[Evidence]) -> list[str]:
    """Return a chain of evidence as a tree, one line a step, and a line where something ends or is left out."""
    screen = Console(file=io.StringIO(), highlight=False, width=_UNWRAPPED, color_system=None)
    with screen.capture() as captured:
        screen.print(evidence_tree(chain))
    return [line.rstrip() for line in captured.get().splitlines()]


def evidence_tree(chain: Sequence[Evidence]) -> Tree:
    """Return a chain of evidence as a tree to print; it has one step at least."""
    root = Tree(_text(_step_text(chain[0])), guide_style="dim")
    above, branches = [root], []
    for step in chain:
        if step.depth:
            del above[step.depth :]
            above.append(above[-1].add(_text(_step_text(step))))
        branches.append(above[-1])
    # Once all branches stand: what is said of one comes below them.
    for branch, step in zip(branches, chain, strict=True):
        for note in _notes(step):
            branch.add(_text(note, "dim"))
    return root


def history_lines(found: History) -> Iterator[str]:
    """Yield a memory and what has happened to it, one line each."""
    memory = found.memory
    yield f"{memory.id[:SHORT]}  {_one_line(memory.content)}  ({memory.status}, {memory.tier})"
    for what, number in sorted(found.left_out.items()):
        yield f"{'':18}{number:,} older of: {what}"
    for event in found.events:
        when = f"{event.at:%Y-%m-%d %H:%M}" if event.at else "at no known time"
        yield f"{when:<16}  {_event_text(event)}"


def believed_lines(found: Believed) -> Iterator[str]:
    """Yield what was believed then and what is believed now, with what has replaced it since."""
    for title, beliefs in ((f"As of {found.at:%Y-%m-%d %H:%M}Z:", found.then), ("Now:", found.now)):
        yield title
        if not beliefs:
            yield "     nothing was found"
        for belief in beliefs:
            yield from _belief_lines(belief, kept=belief.hit.memory.id in found.kept)


def _step_text(step: Evidence) -> str:
    if step.label == "Session":
        return f"{_ROLES.get(step.relationship, '')} the conversation {step.text!r}"
    said = f"{_day(step.at)}{f'{step.who}: ' if step.who else ''}“{_one_line(step.text)}”{_detail_text(step)}"
    about = "".join(f", {each}" for each in _standing(step))
    if not step.depth:
        return f"{step.id[:SHORT]}  {said}{about}"
    role = _ROLES.get(step.relationship, step.relationship.lower().replace("_", " "))
    return f"{role} {said}  [{step.label.lower()} {step.id[:SHORT]}{about}]"


def _detail_text(step: Evidence) -> str:
    """Say what the relationship knows: why, in which words, how strongly, since when."""
    detail, text = step.detail, ""
    if (citation := detail.get("citation")) and _one_line(citation) != _one_line(step.text):
        text += f", in the words “{_one_line(citation)}”"
    if reason := detail.get("reason") or detail.get("why"):
        text += f" (because: {_one_line(str(reason))})"
    if strength := detail.get("strength"):
        text += f" ({strength:.2f})"
    if state := detail.get("state"):
        text += f" ({state}{f': {how}' if (how := detail.get('how')) else ''})"
    if step.relationship in {"SUPERSEDES", "SUPERSEDED_BY", "IN_TENSION_WITH"} and detail.get("at"):
        text += f", noted {detail['at']:%Y-%m-%d}"
    return text


def _standing(step: Evidence) -> Iterator[str]:
    if step.truth is not None and step.evidence is not None:
        yield f"truth {step.truth:.2f}, evidence {step.evidence:g}"
    if step.status not in {None, "active"}:
        yield str(step.status)
    if step.repeated:
        yield "opened elsewhere"


def _notes(step: Evidence) -> Iterator[str]:
    if step.broken:
        yield "nothing is recorded below this"
    for role, number in step.left_out.items():
        yield f"{_ROLES.get(role, role)} {number:,} more that are not shown"


def _event_text(event: Event) -> str:
    text = f"“{_one_line(event.text)}”" if event.text else ""
    match event.what:
        case "remembered":
            text = f"from {event.text}" if event.text else ""
        case "promoted":
            text = f"to {event.text}"
        case "recalled" if not event.text:
            text = "(its question is not kept)"
        case _:
            pass
    known = ", ".join(_facts(event))
    identity = f"[{event.id[:SHORT]}]" if event.id and event.what != "promoted" else ""
    return "  ".join(filter(None, (f"{event.what:<15}", text, known, identity))).rstrip()


def _facts(event: Event) -> Iterator[str]:
    for name, words in _FACTS.items():
        if name in event.detail and (text := words(event.detail[name])):
            yield text


def _belief_lines(belief: Belief, *, kept: bool) -> Iterator[str]:
    memory, since = belief.hit.memory, belief.successor
    who = f"{memory.speaker}: " if memory.speaker else ""
    yield f"{belief.hit.rank:>3}. {memory.event_at:%Y-%m-%d}  {who}{shortened(memory.content)}"
    if since is None:
        status = "then and now" if kept else f"nothing has replaced it, {memory.status}"
        yield f"     {memory.id[:SHORT]}  {status}"
        return
    steps = f" after {since.steps} changes" if since.steps > 1 else ""
    when = f" on {since.at:%Y-%m-%d}" if since.at else ""
    reason = f" (because: {_one_line(since.reason)})" if since.reason else ""
    yield (
        f"     {memory.id[:SHORT]}  replaced{when}{steps} by “{_one_line(since.memory.content)}”{reason}"
        f"  [{since.memory.id[:SHORT]}]"
    )


def _day(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d} " if at else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _text(text: str, style: str = "") -> Text:
    return Text(printable(text), style)
