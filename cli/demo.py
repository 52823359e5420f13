"""`engram demo`: a conversation remembered, asked about and explained, in one command."""

import time
from contextlib import ExitStack
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from engram import demo as steps
from engram.demo import Answered, Drawing
from engram.importing import Reading, Tally, read_turns
from engram.memory import Engram
from engram.records import Evidence, Hit
from engram.server import Connection, Home

from .importing import turns_bar
from .state import State
from .why import evidence_lines

SHOWN = 3
"""Quotes printed for each question."""


@click.command()
@click.option(
    "--file",
    "file",
    type=click.Path(path_type=Path),
    help="A conversation of your own instead of the bundled one; it gets a space of its own.",
)
@click.pass_obj
def demo(state: State, *, file: Path | None) -> None:
    """Remember a conversation over three months, answer six questions from it, and show why.

    Running it again stores nothing new.
    """
    screen = Console(highlight=False, soft_wrap=True, quiet=state.json)
    with ExitStack() as stack:
        reading = read_turns(file or stack.enter_context(steps.bundled_conversation()))
        questions = steps.QUESTIONS if file is None else steps.questions_from(reading.again())
        space = state.wanted_space or (steps.SPACE if file is None else steps.space_for(file))
        memory = stack.enter_context(Engram.open(state.settings, space=space, notify=state.say))
        connection = memory.connection
        screen.print(_title(f"The space {space}{_where(connection)}"))
        start = time.perf_counter()
        with turns_bar(reading, quiet=state.json) as progress:
            tally = steps.load(memory, reading, progress=progress)
        loaded = time.perf_counter() - start
        screen.print(_loaded(reading, tally, loaded))

        screen.print(_title(f"{len(questions)} questions"))
        answers = []
        for question in questions:
            answered = steps.ask(memory, question, SHOWN)
            answers.append(answered)
            _print_answer(screen, answered)

        explained: list[list[Evidence]] = []
        if file is None:
            screen.print(_title("She moved, so one fact now supersedes another"))
            explained.append(steps.explain(memory, steps.change_address(memory).id))
        best = max((each.hits[0] for each in answers if each.hits), key=lambda hit: hit.score, default=None)
        if best is not None:
            explained.append(steps.explain(memory, best.memory.id))
        for chain in explained:
            for line in evidence_lines(chain):
                screen.print(Text(line))

        drawing = steps.drawing(space)
        _print_drawing(screen, connection, drawing, Home.of(state.settings).password_file)
        _print_next(screen, space)
        if state.json:
            state.print_json(
                {
                    "space": space,
                    "server": connection.origin if connection else None,
                    "browser": connection.browser_url if connection else None,
                    "stored": tally.stored,
                    "seen": tally.seen,
                    "refused": tally.refused,
                    "import_seconds": round(loaded, 3),
                    "questions": [_answer_json(answered) for answered in answers],
                    "explained": explained,
                    "drawing": {"parameters": list(drawing.parameters), "statement": drawing.statement},
                }
            )


def _title(text: str) -> Text:
    return Text(f"\n{text}", "bold")


def _loaded(reading: Reading, tally: Tally, seconds: float) -> str:
    if tally.stored == 0:
        return f"{reading.name}: nothing new; all {tally.seen:,} turns were remembered before."
    refused = f", {tally.refused:,} refused" if tally.refused else ""
    there = f", {tally.seen:,} there before" if tally.seen else ""
    return f"{reading.name}: {tally.stored:,} turns remembered in {seconds:.1f} s{there}{refused}."


def _print_answer(screen: Console, answered: Answered) -> None:
    question = answered.question
    asked = Text()
    asked.append(f"\n{question.text}", "bold cyan")
    if question.as_of is not None:
        asked.append(f"  (as known on {question.as_of:%Y-%m-%d})", "cyan")
    asked.append(f"  {answered.seconds * 1000:.0f} ms", "dim")
    screen.print(asked)
    if not answered.hits:
        screen.print("  (nothing comes to mind)")
    for hit in answered.hits:
        line = Text()
        line.append(f"  {hit.score:6.3f}  ", "dim")
        line.append(f"{hit.memory.event_at:%Y-%m-%d} ", "green")
        line.append(f"{hit.memory.speaker or hit.memory.source}: ", "yellow")
        line.append(hit.memory.content)
        screen.print(line)


def _where(connection: Connection | None) -> str:
    if connection is None:
        return ""
    kinds = {
        "configured": "your own Neo4j",
        "managed": "the Neo4j that Engram runs",
        "docker": "the Neo4j that Engram runs in Docker",
    }
    return f", in {kinds[connection.origin]} at {connection.uri}"


def _print_drawing(screen: Console, connection: Connection | None, drawing: Drawing, password: Path) -> None:
    screen.print(_title("See it as a graph"))
    if connection is not None and connection.browser_url:
        screen.print(Text(f"Open {connection.browser_url} and connect as {connection.user}."))
        if connection.origin != "configured":
            screen.print(Text(f"The password is in {password}."))
    else:
        screen.print("Open Neo4j Browser on your server.")
    screen.print("Paste this, the :param lines first:\n")
    for line in drawing.parameters:
        screen.print(Text(line, "green"))
    screen.print(Text(f"\n{drawing.statement}", "green"))


def _print_next(screen: Console, space: str) -> None:
    screen.print(_title("What to try next"))
    screen.print(Text(f"engram chat --space {space}"))
    screen.print(Text(f"engram recall --space {space} --explain QUESTION"))
    screen.print(Text(f"engram why --space {space} ID"))


def _answer_json(answered: Answered) -> dict[str, object]:
    as_of = answered.question.as_of
    return {
        "question": answered.question.text,
        "as_of": as_of.isoformat() if as_of else None,
        "milliseconds": round(answered.seconds * 1000, 1),
        "hits": [_hit_json(hit) for hit in answered.hits],
    }


def _hit_json(hit: Hit) -> dict[str, object]:
    return {
        "rank": hit.rank,
        "score": hit.score,
        "id": hit.memory.id,
        "at": hit.memory.event_at.isoformat(),
        "speaker": hit.memory.speaker,
        "source": hit.memory.source,
        "content": hit.memory.content,
    }
