"""`engram entities` and `engram entity`: who and what is known, under which names, and what of them."""

import sys
from collections.abc import Iterator

import click
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from engram.beliefs.front import Beliefs
from engram.beliefs.names.merging import find_key, split
from engram.beliefs.names.profiles import Profile, ProfileFact, Summary, profile
from engram.identity import person
from engram.text import single_line

from .state import State, printable

_SHORT = 8
_UNWRAPPED = 100_000
"""Columns of what is no terminal: a line is a line there."""
_FACTS = 20
"""Facts that are shown."""


@click.group(invoke_without_command=True)
@click.option(
    "-n", "limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="How many at most."
)
@click.option("--json", "as_json", is_flag=True, help="Print data as JSON.")
@click.option("--space", metavar="NAME", help="Whose memory.")
@click.pass_context
def entities(context: click.Context, limit: int, as_json: bool, space: str | None) -> None:  # noqa: FBT001
    """List who and what is known, the most mentioned first; take names for one, or apart."""
    state: State = context.obj
    state.json = state.json or as_json
    state.wanted_space = state.wanted_space if space is None else space
    if context.invoked_subcommand is not None:
        return
    with state.open() as memory:
        rows = memory.graph.read("believe/entity_list", space=memory.space, limit=limit)
    if state.json:
        state.print_json(rows)
        return
    if not rows:
        state.say("Nobody and nothing has been named yet.")
    for row in rows:
        also = f"  (also {', '.join(map(single_line, row['aliases']))})" if row["aliases"] else ""
        state.out(f"{row['mentions']:>7,}  {single_line(row['name'])}{also}")


@entities.command("merge")
@click.argument("alias", metavar="NAME")
@click.argument("into", metavar="OTHER")
@click.option("--reason", default="by hand", show_default=True, help="Why; it is kept with the change.")
@click.pass_obj
def merge_names(state: State, alias: str, into: str, reason: str) -> None:
    """Take NAME for another name of OTHER."""
    with state.open() as memory:
        done = Beliefs(memory, by=person()).merge_names(alias, into, reason=single_line(reason))
    if state.json:
        state.print_json(done)
    elif done is None:
        state.out("They are one already.")
    else:
        state.out(
            f"{done.alias} is another name of {done.into}. `engram undo {done.change[:_SHORT]}` takes it back."
        )


@entities.command("split")
@click.argument("name", metavar="NAME")
@click.pass_obj
def split_name(state: State, name: str) -> None:
    """Let NAME stand alone again; no job takes it for the same once more."""
    with state.open() as memory:
        graph, space = memory.graph, memory.space
        key = find_key(graph, space=space, name=name)
        canonical = split(graph, space=space, key=key, by=person(), now=memory.now())
    if state.json:
        state.print_json({"name": key, "not": canonical})
    else:
        state.out(f"{key} is not {canonical}.")


@click.command()
@click.argument("name", nargs=-1, required=True)
@click.pass_obj
def entity(state: State, name: tuple[str, ...]) -> None:
    """Show all that is known of somebody or something, by any of their names."""
    with state.open() as memory:
        found = profile(memory.graph, space=memory.space, name=" ".join(name), now=memory.now())
    if state.json:
        state.print_json(found)
        return
    width = None if sys.stdout.isatty() else _UNWRAPPED
    Console(highlight=False, width=width).print(profile_tree(found))


def profile_tree(found: Profile) -> Tree:
    """Return a profile as a tree to print."""
    root = Tree(_text(found.name, "bold"), guide_style="dim")
    for line in _standing(found):
        root.add(_text(line))
    for title, facts in (("Facts", found.facts), ("Relationships", found.relationships)):
        if facts:
            branch = root.add(_text(title))
            for fact in facts[:_FACTS]:
                branch.add(_text(_fact_text(fact)))
            if facts[_FACTS:]:
                branch.add(_text(f"{len(facts) - _FACTS:,} more: `engram facts`", "dim"))
    return root


def _standing(found: Profile) -> Iterator[str]:
    if found.aliases:
        yield f"also {', '.join(found.aliases)}"
    times = f"{found.mentions:,} time{'' if found.mentions == 1 else 's'}"
    since = (
        f", {found.since:%Y-%m-%d} to {found.last_seen:%Y-%m-%d}" if found.since and found.last_seen else ""
    )
    some = f" (as far as {found.read:,} of them tell)" if found.read < found.mentions else ""
    yield f"mentioned {times}{since}{some}"
    if found.beside:
        yield f"mostly with {', '.join(f'{name} ({times:,})' for name, times in found.beside)}"
    if found.tensions:
        yield f"open contradictions: {found.tensions:,}; `engram tensions` lists them"
    yield _summary_text(found.summary)


def _summary_text(summary: Summary | None) -> str:
    if summary is None:
        return "no fact is known yet"
    cited = " ".join(each[:_SHORT] for each in summary.cites)
    how = "its best evidenced facts, without a model" if summary.plain else "summed up by a model"
    return f"{single_line(summary.text)}  [{how}: {cited}]"


def _fact_text(fact: ProfileFact) -> str:
    slot = f"{fact.slot}: " if fact.slot else ""
    return f"{fact.id[:_SHORT]}  {slot}{single_line(fact.content)}  (truth {fact.truth:.2f}, evidence {fact.evidence:,})"


def _text(text: str, style: str = "") -> Text:
    return Text(printable(single_line(text)), style)
