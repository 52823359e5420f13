"""`engram facts`: what is held about whom."""

from collections.abc import Iterator, Sequence

import click

from engram.beliefs.keeping.candidate import LONG_AGO
from engram.beliefs.keeping.listing import ListedFact
from engram.records import FOREVER

from .memory import SHORT, shortened
from .state import State


@click.command()
@click.argument("subject", required=False)
@click.option("--all", "replaced", is_flag=True, help="Show what no longer holds too.")
@click.option("--slot", metavar="NAME", help="Only this attribute: home, employer, likes, likes:tea, …")
@click.option("-n", "limit", type=click.IntRange(1), default=50, show_default=True, help="How many at most.")
@click.pass_obj
def facts(state: State, subject: str | None, replaced: bool, slot: str | None, limit: int) -> None:  # noqa: FBT001
    """List the facts drawn from what was said, by SUBJECT (a name; all if left out)."""
    with state.open() as memory:
        found = memory.beliefs.facts(subject, slot=slot, replaced=replaced)
    if state.json:
        state.print_json(found[:limit])
        return
    for line in fact_lines(found[:limit]):
        state.out(line)
    if not found:
        about = f" about {subject!r}" if subject else ""
        state.say(
            f"No such facts are known{about} in the space {state.space!r}. "
            "`engram jobs run extract` draws facts from conversations: a chat, or `engram import`."
        )
    elif len(found) > limit:
        state.say(f"{len(found) - limit:,} more; `-n {len(found)}` shows all.")


def fact_lines(found: Sequence[ListedFact]) -> Iterator[str]:
    """Yield facts that are sorted by subject: a line for each subject, then two for each fact."""
    last: object = ()
    for fact in found:
        if fact.subject != last:
            last = fact.subject
            yield fact.name or fact.subject or "(nobody in particular)"
        yield f"  {fact.id[:SHORT]}  {_said(fact)}"
        yield f"            {', '.join(_standing(fact))}"


def _said(fact: ListedFact) -> str:
    """Return what a fact says: attribute and value where it has them, and its sentence."""
    if not fact.slot:
        return shortened(fact.content)
    value = " ".join(filter(None, ("not" if fact.negated else "", fact.value)))
    return (
        f"{fact.slot}: {value}  ({shortened(fact.content)})"
        if value
        else f"{fact.slot}  ({shortened(fact.content)})"
    )


def _standing(fact: ListedFact) -> Iterator[str]:
    """Yield since when and until when a fact holds, and how well it is evidenced."""
    since = "" if fact.valid_from == LONG_AGO else f"since {fact.valid_from:%Y-%m-%d}"
    until = "" if fact.valid_to == FOREVER else f"until {fact.valid_to:%Y-%m-%d}"
    if times := " ".join(filter(None, (since, until))):
        yield times
    if fact.status != "active":
        yield fact.status
    yield f"truth {fact.truth:.2f}"
    yield f"evidence {fact.sources}"
    yield fact.category
