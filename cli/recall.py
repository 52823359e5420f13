"""`engram recall`: ask, see what each score is the sum of, ask a recorded recall again."""

import sys

import click

from engram.beliefs.conflicts.disputes import Disputes, disputes
from engram.feedback import Replay
from engram.records import Hit, Hits
from engram.text import inert

from .memory import SHORT, shortened
from .state import State

_BAR = 24
"""Characters of the longest bar."""
_WIDEST_TERM = 13
_QUOTED = 100
"""Characters of what a hit is in tension with."""
_LEAST = 5e-5
"""A term below this would show as nothing."""


@click.command()
@click.argument("query", nargs=-1)
@click.option("-k", default=10, show_default=True, help="How many at most.")
@click.option(
    "--as-of", metavar="DATE", help="Answer from what was known and held at the end of that day, UTC."
)
@click.option(
    "--mode",
    default="search",
    show_default=True,
    help="search: the same question, the same answer; mind: now and then something unexpected.",
)
@click.option("--hops", default=1, show_default=True, help="How far association spreads, 1 or 2.")
@click.option("--session", metavar="NAME", help="The conversation that this is for.")
@click.option("--explain", is_flag=True, help="Show what each score is the sum of.")
@click.option("--read-only", is_flag=True, help="Learn nothing from it.")
@click.option("--replay", metavar="ID", help="Ask a recorded recall again and show what changed.")
@click.pass_obj
def recall(  # noqa: PLR0917  (one parameter an option)
    state: State,
    query: tuple[str, ...],
    k: int,
    as_of: str | None,
    mode: str,
    hops: int,
    session: str | None,
    explain: bool,  # noqa: FBT001
    read_only: bool,  # noqa: FBT001
    replay: str | None,
) -> None:
    """Ask the memory; the words of the question need no quotes."""
    if query and replay:
        raise click.UsageError("--replay asks a recorded question again; leave out the new one.")
    if not query and not replay:
        raise click.UsageError("Say what to recall, or with --replay which recall to ask again.")
    with state.open() as memory:
        if memory.reranker is not None:
            # A command lives too short to load the model beside its questions.
            memory.reranker.wait(5.0)
        if replay:
            _show_replay(state, memory.replay(replay))
            return
        hits = memory.recall(
            " ".join(query),
            k,
            as_of=as_of,
            mode=mode,
            hops=hops,
            session=session,
            explain=explain,
            read_only=read_only,
        )
        disputed = disputes(memory.graph, space=memory.space, ids=[hit.memory.id for hit in hits])
    _say_notes(state, hits)
    if state.json:
        state.print_json(hits)
    elif hits:
        _show(state, hits, disputed, explain=explain)
    else:
        when = f" that was known and valid on {as_of}" if as_of else ""
        state.say(f"Nothing{when} was found in the space {state.space!r}; `engram stats` says what it holds.")


def _show(state: State, hits: Hits, disputed: Disputes, *, explain: bool) -> None:
    longest = max((abs(value) for hit in hits for value in (hit.terms or {}).values()), default=0.0)
    for hit in hits:
        state.out(_hit_text(hit))
        for other, content in disputed.get(hit.memory.id, ()):
            state.out(f"     in tension with {other[:SHORT]}: {inert(content, _QUOTED)}")
        for line in explanation(hit, longest):
            state.out(f"     {line}")
    if not explain:
        return
    for each in hits.understood:
        state.say(f"Understood {each}.")
    if hits.recall:
        short = hits.recall[:SHORT]
        state.say(f"Recall {short}; `engram recall --replay {short}` asks again.")
    state.say(
        "The terms are explained in docs/recall.md; each is a part of the score, and they add up to it."
    )


def _say_notes(state: State, hits: Hits) -> None:
    for note in hits.notes:
        state.say(f"{note[0].upper()}{note[1:]}")


def explanation(hit: Hit, longest: float) -> list[str]:
    """Return a line with a bar for each term of a hit's score, the largest first; they add up to the score.

    Args:
        hit: What to explain.
        longest: The term that gets the longest bar.
    """
    terms = {name: value for name, value in (hit.terms or {}).items() if abs(value) >= _LEAST}
    ordered = sorted(terms.items(), key=lambda term: -abs(term[1]))
    return [
        f"{name:<{_WIDEST_TERM}} {value:>8.4f}  {_bar(value / longest)}".rstrip() for name, value in ordered
    ]


def _bar(share: float) -> str:
    # What counts against a memory looks different from what speaks for it.
    full, light = (
        ("\u2588", "\u2591") if (sys.stdout.encoding or "").lower().startswith("utf") else ("#", "-")
    )
    return (full if share > 0 else light) * max(1, round(abs(share) * _BAR))


def _show_replay(state: State, replay: Replay) -> None:
    _say_notes(state, replay.now)
    if state.json:
        state.print_json(replay)
        return
    then = replay.then
    state.out(f"\u201c{then.query}\u201d, asked {then.at:%Y-%m-%d %H:%M}, asked again now:")
    for hit in replay.now:
        state.out(f"{_hit_text(hit)}  ({_moved(replay, hit)})")
    for gone in replay.gone:
        status = f", {gone.status} now" if gone.status != "active" else ""
        state.out(f"  - {gone.event_at:%Y-%m-%d}  {shortened(gone.content)}")
        state.out(f"     {gone.id[:SHORT]}  was {gone.rank}, score {gone.score:.4f}{status}")
    state.say("Nothing changed." if replay.same else _summary(replay.now, replay))


def _moved(replay: Replay, hit: Hit) -> str:
    rank = replay.place_then(hit.memory.id)
    if rank is None:
        return "not used then" if replay.then.partial else "new"
    if rank == hit.rank:
        return "as before"
    return f"was {rank}"


def _summary(now: Hits, replay: Replay) -> str:
    new = sum(replay.place_then(hit.memory.id) is None for hit in now)
    moved = sum(replay.place_then(hit.memory.id) not in (None, hit.rank) for hit in now)
    unseen = "not used then" if replay.then.partial else "new"
    return f"{new} {unseen}, {moved} moved, {len(replay.gone)} gone."


def _hit_text(hit: Hit) -> str:
    memory = hit.memory
    who = f"{memory.speaker}: " if memory.speaker else ""
    status = f"  {memory.status}" if memory.status != "active" else ""
    # The score ranks and says nothing about how near the best one is; the cosine does.
    near = "" if hit.similarity is None else f"  cosine {hit.similarity:.2f}"
    return (
        f"{hit.rank:>3}. {memory.event_at:%Y-%m-%d}  {who}{shortened(memory.content)}\n"
        f"     {memory.id[:SHORT]}  score {hit.score:.4f}{near}{status}"
    )
