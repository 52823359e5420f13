"""`engram goals`: what the agent is after, and why one goal presses more than another."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, get_args

import click

from engram.goals import Explained, Goal, Goals, GoalState
from engram.goals.keeping import by_priority
from engram.mind.incubation import LONGEST
from engram.text import short, single_line

from .memory import shortened
from .state import State

_T = TypeVar("_T")


@click.group()
def goals() -> None:
    """List goals, set them, and say how they stand.

    What sounds like a goal in a conversation is only proposed, until you accept it.
    """


@goals.command("list")
@click.option("--state", "only", type=click.Choice(get_args(GoalState)), help="Only those of one state.")
@click.pass_obj
def list_goals(state: State, only: GoalState | None) -> None:
    """List the goals that have not come to an end, the most pressing first."""
    found = _with(state, lambda kept: listed(kept, only))
    if state.json:
        state.print_json(found)
        return
    for line in goal_lines(found):
        state.out(line)
    if not found:
        what = "no goals" if only is None else f"no {only} goals"
        state.say(f"There are {what} in the space {state.space!r}. `engram goals add TEXT` sets one.")


@goals.command()
@click.argument("text")
@click.option("--weight", default=1.0, show_default=True, help="What it counts beside the others.")
@click.option(
    "--tractability", default=0.5, show_default=True, help="How much can be done without you, 0 to 1."
)
@click.pass_obj
def add(state: State, text: str, weight: float, tractability: float) -> None:
    """Set a goal."""
    _show(state, lambda kept: kept.add(text, weight=weight, tractability=tractability))


@goals.command()
@click.argument("goal", metavar="ID")
@click.pass_obj
def done(state: State, goal: str) -> None:
    """Say that a goal is reached."""
    _show(state, lambda kept: kept.done(goal))


@goals.command()
@click.argument("goal", metavar="ID")
@click.pass_obj
def drop(state: State, goal: str) -> None:
    """Give a goal up."""
    _show(state, lambda kept: kept.drop(goal))


@goals.command()
@click.argument("goal", metavar="ID")
@click.option("--why", metavar="TEXT", help="What it waits for.")
@click.pass_obj
def block(state: State, goal: str, why: str | None) -> None:
    """Say that nothing can be done about a goal for now."""
    _show(state, lambda kept: kept.block(goal, why))


@goals.command()
@click.argument("goal", metavar="ID")
@click.pass_obj
def incubate(state: State, goal: str) -> None:
    """Set a goal aside; it stays in mind, and comes back when something comes up."""
    _show(state, lambda kept: kept.incubate(goal))


@goals.command()
@click.argument("goal", metavar="ID")
@click.pass_obj
def resume(state: State, goal: str) -> None:
    """Go on with a goal that was blocked or set aside."""
    _show(state, lambda kept: kept.resume(goal))


@goals.command()
@click.argument("goal", metavar="ID")
@click.pass_obj
def progress(state: State, goal: str) -> None:
    """Note that something came of a goal."""
    _show(state, lambda kept: kept.progress(goal))


@goals.command()
@click.argument("goal", metavar="ID")
@click.pass_obj
def accept(state: State, goal: str) -> None:
    """Take up a goal that was found in what you said."""
    _show(state, lambda kept: kept.accept(goal))


@goals.command()
@click.argument("goal", metavar="ID")
@click.pass_obj
def refuse(state: State, goal: str) -> None:
    """Drop what was found in what you said; it is not proposed again."""
    _show(state, lambda kept: kept.refuse(goal))


@goals.command()
@click.argument("goal", metavar="ID")
@click.pass_obj
def why(state: State, goal: str) -> None:
    """Show what a goal's priority is made of, what it is about, and what replay connected it to."""
    found = _with(state, lambda kept: kept.explain(goal))
    if state.json:
        state.print_json(explained_data(found))
        return
    for line in explained_lines(found):
        state.out(line)


def listed(kept: Goals, only: GoalState | None = None) -> tuple[Goal, ...]:
    """Return the goals that a list shows, ranked as of now: those of one state, or all that have not come to an end."""
    pending = kept.rank()
    return pending if only is None else by_priority(kept.list(state=only))


def goal_lines(found: Sequence[Goal]) -> Iterator[str]:
    """Yield goals, one line each: the id, how much it presses, how it stands, its words."""
    for goal in found:
        priority = "    -" if goal.priority is None else f"{goal.priority:5.2f}"
        yield f"[{short(goal.id)}] {priority}  {goal.state:<10}  {single_line(goal.text)}{_note(goal)}"


def _note(goal: Goal) -> str:
    """Return what is worth a word about how a goal stands."""
    if goal.state == "blocked" and goal.blocked_by:
        return f" (waits for: {single_line(goal.blocked_by)})"
    if goal.state == "proposed":
        return " (accept it or refuse it)"
    if goal.state == "incubating":
        rested = goal.incubated or 0
        asks = "; try another way, ask for help, or drop it" if rested >= LONGEST else ""
        return f" (has rested for {rested} of {LONGEST} conversations{asks})"
    return ""


def explained_lines(found: Explained) -> Iterator[str]:
    """Yield why a goal presses as it does: the product, term by term, and the paths to what it hangs together with."""
    yield from goal_lines([found.goal])
    if found.terms is None:
        yield "  it does not press: it is not pursued"
    else:
        each = found.terms
        yield (
            f"  priority {each.priority:.3f} = recency {each.recency:.3f} · mention {each.mention:.3f} "
            f"· tractability {each.tractability:.2f} · connections {each.connections:.2f}"
        )
    if found.names:
        yield f"  about: {', '.join(map(single_line, found.names))}"
    for other in found.related:
        yield f"  (goal) -ABOUT-> ({single_line(other.through)}) <-ABOUT- (goal {short(other.id)}) {shortened(other.text)}"
    for memory in found.memories:
        yield (
            f"  (goal) -ABOUT-> ({single_line(memory.name)}) <-MENTIONS- (memory {short(memory.memory)}) "
            f"{memory.at:%Y-%m-%d}  {shortened(memory.content)}"
        )
    for link in found.connections:
        through = "gone" if link.memory is None else f"memory {short(link.memory)}"
        hops = "near it" if link.hops == 0 else f"{link.hops} hop{'' if link.hops == 1 else 's'} from it"
        yield (
            f"  (goal) <-CONNECTS- (connection {link.strength:.2f}) -CONNECTS-> (episode of {link.ended_at:%Y-%m-%d}) "
            f"<-IN_BOX- ({through}, {hops})  {shortened(link.content or '')}".rstrip()
        )


def explained_data(found: Explained) -> dict[str, object]:
    """Return the same as data."""
    data = State.plain(found)
    if found.terms is not None:
        data["terms"] = State.plain(found.terms) | {"priority": found.terms.priority}
    return data


def _with(state: State, ask: Callable[[Goals], _T]) -> _T:
    """Open the memory, and return what its goals answer."""
    with state.open() as memory:
        return ask(Goals(memory.graph, memory.embedder, space=memory.space, clock=memory.now))


def _show(state: State, change: Callable[[Goals], Goal]) -> None:
    goal = _with(state, change)
    if state.json:
        state.print_json(goal)
        return
    for line in goal_lines([goal]):
        state.out(line)
