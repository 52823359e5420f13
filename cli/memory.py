"""`engram remember | get | stats`."""

import sys
from typing import Any

import click

from engram.records import Kind, Memory

from .state import State

SHORT = 8
"""Characters of an id that are shown; any beginning of six or more is understood."""

_SHOWN = 600
"""Characters of a memory in a list; `engram get` shows all."""


@click.command()
@click.argument("content", required=False)
@click.option("--kind", default=Kind.SEMANTIC.value, show_default=True, help=f"One of {', '.join(Kind)}.")
@click.option("--event-at", metavar="DATE", help="When it happened, e.g. 2026-05-01; now if left out.")
@click.option("--speaker", metavar="NAME", help="Who said it.")
@click.option("--source", default="user", show_default=True, help="Where it comes from.")
@click.option("--category", metavar="NAME", help="A finer sort than the kind.")
@click.option("--importance", type=float, help="0 to 1; judged by the text if left out.")
@click.option("--known-at", metavar="DATE", help="Since when it has been known; now if left out.")
@click.option("--valid-from", metavar="DATE", help="Since when it holds; when it happened if left out.")
@click.option("--valid-to", metavar="DATE", help="Until when it holds; open if left out.")
@click.option("--derived-from", metavar="ID", multiple=True, help="A memory it was drawn from; repeatable.")
@click.option("--supersedes", metavar="ID", help="The memory that this one replaces.")
@click.option("--reason", metavar="TEXT", help="Why it does.")
@click.option("--immutable", is_flag=True, help="Never let it matter less, and put it into every prompt.")
@click.pass_obj
def remember(state: State, /, content: str | None, **details: Any) -> None:
    """Store one thing; `-` or nothing reads it from standard input."""
    if content in (None, "-"):
        content = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    with state.open() as memory:
        stored = memory.remember(content or "", **details)
    if state.json:
        state.print_json(stored)
    elif stored.created:
        state.out(f"Remembered as {stored.id[:SHORT]}.")
    else:
        state.out(f"Known already as {stored.id[:SHORT]}, now seen {stored.seen_count} times.")


@click.command()
@click.argument("memory_id", metavar="ID")
@click.pass_obj
def get(state: State, memory_id: str) -> None:
    """Show one memory; the beginning of its id is enough."""
    with state.open() as memory:
        found = memory.get(memory_id)
    if state.json:
        state.print_json(found)
    else:
        state.out(_memory_text(found))


@click.command()
@click.pass_obj
def stats(state: State) -> None:
    """Count what a space holds."""
    with state.open() as memory:
        counted, blend = memory.stats(), memory.blend()
    if state.json:
        state.print_json(
            {**state.plain(counted), "recalls": blend.learned.experience, "blend": blend.weights}
        )
        return
    state.out(f"space          {counted.space}")
    state.out(f"memories       {counted.memories:,}")
    for name, counts in (
        ("kinds", counted.by_kind),
        ("tiers", counted.by_tier),
        ("status", counted.by_status),
    ):
        if counts:
            state.out(f"  {name:<12} " + ", ".join(f"{n:,} {key}" for key, n in sorted(counts.items())))
    state.out(f"sessions       {counted.sessions:,}")
    state.out(f"turns          {counted.turns:,}")
    state.out(f"relationships  {counted.relationships:,}")
    state.out(f"recalls        {blend.learned.experience:,.0f} learned from")
    state.out("  blend        " + ", ".join(f"{name} {share:.2f}" for name, share in blend.weights.items()))
    if counted.first_event_at and counted.last_event_at:
        state.out(f"from           {counted.first_event_at:%Y-%m-%d} to {counted.last_event_at:%Y-%m-%d}")


def shortened(content: str) -> str:
    """Return content as it fits into a list: later lines indented, the end of a long one left out."""
    text = (
        content if len(content) <= _SHOWN else content[:_SHOWN].rstrip() + f" … ({len(content):,} characters)"
    )
    return text.replace("\n", "\n     ")


def _memory_text(memory: Memory) -> str:
    open_end = memory.valid_to.year == 9999
    rows = {
        "id": memory.id,
        "kind": memory.kind.value + (f", {memory.category}" if memory.category else ""),
        "status": f"{memory.status}, {memory.tier}" + (", immutable" if memory.immutable else ""),
        "said by": memory.speaker or "",
        "source": memory.source,
        "happened": f"{memory.event_at:%Y-%m-%d %H:%M}",
        "holds": f"{memory.valid_from:%Y-%m-%d %H:%M} to {'now' if open_end else f'{memory.valid_to:%Y-%m-%d %H:%M}'}",
        "known since": f"{memory.known_at:%Y-%m-%d %H:%M}",
        "seen": f"{memory.seen_count} times, recalled {memory.access_count} times",
        "weight": f"Beta({memory.weight_alpha:g}, {memory.weight_beta:g})",
        "truth": f"Beta({memory.truth_alpha:g}, {memory.truth_beta:g})",
    }
    head = "\n".join(f"{name:<12} {value}" for name, value in rows.items() if value)
    return f"{head}\n\n{memory.content}"
