"""What the MCP server's tools answer: shapes that a program reads, each with the same in words for a model."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from engram.beliefs.conflicts.disputes import Disputes, Tension
from engram.doors.mcp_limits import quoted, within
from engram.doors.mcp_words import NOTICE
from engram.loop.fencing import memory_line, section
from engram.records import FOREVER, Evidence, Hit, Hits, Memory
from engram.records import Stats as Counts
from engram.text import inert, short


class Answer(BaseModel):
    """What a tool answers."""

    def words(self) -> str:
        """Return it in words."""
        raise NotImplementedError


class Quoting(Answer):
    """An answer that quotes what was remembered."""

    notice: str = Field(NOTICE, description="How to read what is quoted.")
    left_out: int = Field(0, description="Rows that did not fit into the answer.")

    def fenced(self, name: str, lines: Sequence[str], *, nothing: str) -> str:
        """Return the lines as a fenced section under the notice."""
        more = f"\n({self.left_out} more did not fit.)" if self.left_out else ""
        return f"{self.notice}\n\n{section(name, lines)}{more}" if lines else nothing


class Dispute(BaseModel):
    """A memory that another cannot be true beside."""

    id: str
    text: str


class Recalled(BaseModel):
    """One memory."""

    id: str
    text: str = Field(description="What was remembered, word for word.")
    cut: bool = Field(
        default=False, description="Whether there is more of it; the resource engram://memory/{id} has all."
    )
    kind: str
    said_by: str | None
    source: str = Field(description="Where it came from.")
    source_tag: str = Field(description="Whose thought it is; `external_user` is a person's own.")
    at: datetime = Field(description="When it happened.")
    valid_to: datetime | None = Field(description="Until when it held; null where it still does.")
    status: str
    truth: float = Field(description="How well it is evidenced, 0 to 1; 0.5 without evidence.")

    def line(self) -> str:
        """Return it as the line of a fenced section."""
        who = inert(self.said_by, 40) if self.said_by else "noted"
        held = f" (until {self.valid_to:%Y-%m-%d})" if self.valid_to else ""
        return f"[{short(self.id)}] {self.at:%Y-%m-%d} {who}{held}: {self.text}"


class RecalledHit(Recalled):
    """One memory that a recall found."""

    rank: int
    score: float
    disputed_by: list[Dispute] = Field(description="What contradicts it and is not settled.")

    def line(self) -> str:
        """Return it as the line of a fenced section."""
        disputes = "".join(f" (disputed by [{short(each.id)}] {each.text})" for each in self.disputed_by)
        return super().line() + disputes


class Recollection(Quoting):
    """What a recall found, best first."""

    memories: list[RecalledHit]
    understood: list[str] = Field(description="What of the question was taken for a time or a name.")
    notes: list[str] = Field(description="What was left out of this recall, and why.")

    def words(self) -> str:
        """Return it in words."""
        return self.fenced("memories", [each.line() for each in self.memories], nothing="Nothing was found.")


class Remembered(Answer):
    """What became of what was to be remembered."""

    id: str
    created: bool = Field(description="False where it was known already.")
    seen_count: int = Field(description="How many times it was said.")

    def words(self) -> str:
        """Return it in words."""
        known = f"Known already as {short(self.id)}, now seen {self.seen_count} times."
        return f"Remembered as {short(self.id)}." if self.created else known


class Forgotten(Answer):
    """What became of what was to be forgotten."""

    id: str
    erased: bool = Field(description="Whether it is gone for good; else it is only out of recall.")

    def words(self) -> str:
        """Return it in words."""
        if self.erased:
            return f"{short(self.id)} is erased."
        return f"{short(self.id)} is forgotten; `engram forget --undo {short(self.id)}` brings it back."


class Superseded(Answer):
    """What replaced what."""

    old: str
    new: str

    def words(self) -> str:
        """Return it in words."""
        return f"{short(self.new)} replaces {short(self.old)}."


class Step(BaseModel):
    """One step of a chain of evidence."""

    depth: int
    relationship: str = Field(description="How the step above leads to it; empty for the memory itself.")
    id: str
    label: str
    text: str
    cut: bool
    at: datetime | None
    who: str | None
    status: str | None
    truth: float | None
    evidence: float | None = Field(description="Pieces of evidence for and against.")
    reason: str | None
    repeated: bool = Field(description="Whether the chain has reached it before.")
    broken: bool = Field(description="Whether nothing is recorded below it.")
    left_out: dict[str, int] = Field(description="Further steps from it that are not shown, by relationship.")

    def line(self) -> str:
        """Return it as the line of a fenced section, indented by its depth."""
        role = f"{self.relationship} " if self.relationship else ""
        when = f"{self.at:%Y-%m-%d} " if self.at else ""
        why = f" (because: {self.reason})" if self.reason else ""
        return f"{'  ' * self.depth}{role}[{short(self.id)}] {when}{self.who or self.label}: {self.text}{why}"


class Chain(Quoting):
    """What a memory rests on, replaced, was replaced by and disagrees with, depth first."""

    steps: list[Step]

    def words(self) -> str:
        """Return it in words."""
        return self.fenced(
            "evidence", [each.line() for each in self.steps], nothing="Nothing is known of it."
        )


class TensionSide(BaseModel):
    """One side of a tension."""

    id: str
    text: str
    said_by: str | None
    at: datetime
    truth: float


class Opposed(BaseModel):
    """Two memories that cannot both hold."""

    id: str | None
    state: str
    since: datetime
    why: str | None
    a: TensionSide
    b: TensionSide

    def line(self) -> str:
        """Return it as the line of a fenced section."""
        sides = (f"{name} [{short(side.id)}] {side.text}" for name, side in (("A", self.a), ("B", self.b)))
        return f"{self.state} since {self.since:%Y-%m-%d}: {' / '.join(sides)}"


class Tensions(Quoting):
    """Contradictions, the newest first."""

    tensions: list[Opposed]

    def words(self) -> str:
        """Return it in words."""
        lines = [each.line() for each in self.tensions]
        return self.fenced("tensions", lines, nothing="Nothing contradicts anything else.")


class Stats(Answer):
    """How much is remembered."""

    memories: int
    by_kind: dict[str, int]
    by_tier: dict[str, int]
    by_status: dict[str, int]
    sessions: int
    turns: int
    first_event_at: datetime | None
    last_event_at: datetime | None

    def words(self) -> str:
        """Return it in words."""
        kinds = ", ".join(f"{count} {name}" for name, count in sorted(self.by_kind.items()))
        return f"{self.memories} memories ({kinds or 'none'}), {self.sessions} sessions, {self.turns} turns."


def recollection(hits: Hits, disputes: Disputes) -> Recollection:
    """Return what a recall found as an answer."""
    rows = [(each := _hit(hit, disputes), len(each.line())) for hit in hits]
    kept, left_out = within(rows)
    return Recollection(
        memories=kept, left_out=left_out, understood=list(hits.understood), notes=list(hits.notes)
    )


def _hit(hit: Hit, disputes: Disputes) -> RecalledHit:
    return RecalledHit(
        **_memory(hit.memory),
        rank=hit.rank,
        score=hit.score,
        disputed_by=[Dispute(id=other, text=inert(text)) for other, text in disputes.get(hit.memory.id, ())],
    )


def recalled(memory: Memory) -> Recalled:
    """Return a memory as an answer quotes it."""
    return Recalled(**_memory(memory))


def whole(memory: Memory) -> str:
    """Return all of a memory, fenced, with the notice."""
    return f"{NOTICE}\n\n{section('memory', [memory_line(memory)])}"


def _memory(memory: Memory) -> dict[str, Any]:
    quote = quoted(memory.content)
    return {
        "id": memory.id,
        "text": quote.text,
        "cut": quote.cut,
        "kind": memory.kind.value,
        "said_by": memory.speaker,
        "source": memory.source,
        "source_tag": memory.source_tag,
        "at": memory.event_at,
        "valid_to": None if memory.valid_to == FOREVER else memory.valid_to,
        "status": memory.status,
        "truth": memory.truth_alpha / (memory.truth_alpha + memory.truth_beta),
    }


def chain(evidence: Sequence[Evidence]) -> Chain:
    """Return a chain of evidence as an answer."""
    steps, left_out = within([(step := _step(each), len(step.line())) for each in evidence])
    return Chain(steps=steps, left_out=left_out)


def _step(each: Evidence) -> Step:
    quote = quoted(each.text)
    reason = each.detail.get("reason") or each.detail.get("why")
    return Step(
        depth=each.depth,
        relationship=each.relationship,
        id=each.id,
        label=each.label,
        text=quote.text,
        cut=quote.cut,
        at=each.at,
        who=each.who,
        status=each.status,
        truth=each.truth,
        evidence=each.evidence,
        reason=None if reason is None else inert(str(reason)),
        repeated=each.repeated,
        broken=each.broken,
        left_out=each.left_out,
    )


def opposed(found: Sequence[Tension], *, most: int) -> Tensions:
    """Return tensions as an answer."""
    rows = [(each := _opposed(tension), len(each.a.text) + len(each.b.text)) for tension in found]
    kept, left_out = within(rows, most=most)
    return Tensions(tensions=kept, left_out=left_out)


def _opposed(tension: Tension) -> Opposed:
    a, b = (
        TensionSide(
            id=side.id,
            text=quoted(side.content).text,
            said_by=side.speaker,
            at=side.at,
            truth=side.truth,
        )
        for side in tension.sides
    )
    return Opposed(id=tension.id, state=tension.state, since=tension.at, why=tension.why, a=a, b=b)


def counted(counts: Counts) -> Stats:
    """Return how much is remembered as an answer."""
    return Stats(
        memories=counts.memories,
        by_kind=counts.by_kind,
        by_tier=counts.by_tier,
        by_status=counts.by_status,
        sessions=counts.sessions,
        turns=counts.turns,
        first_event_at=counts.first_event_at,
        last_event_at=counts.last_event_at,
    )
