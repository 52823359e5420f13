"""Taking in a hand-written MEMORY.md, once (seed: seed crystal migration).

The file is copied beside itself, its pieces become memories, and a version of the working memory is made that begins with
the text. All of it can be done again after an interruption: the copy stays, a piece is one memory however often it is told,
and the version says which text it took in.
"""

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from uuid import uuid4

from engram.errors import DatabaseError, ErasedError, InvalidInputError
from engram.memory import Engram
from engram.mind.state.budget import budget
from engram.mind.state.cycle import KEPT_SHARE, shortened
from engram.mind.state.fitting import placed
from engram.mind.state.lines import KEPT, KEPT_KEY, Line, citations, cited
from engram.mind.state.rendering import render
from engram.mind.state.sections import Section, State
from engram.mind.state.seeding import IMPORTANCE, pieces
from engram.mind.state.signals import Levels
from engram.mind.state.versions import Draft, Standing, standing, store
from engram.text import printable
from engram.validation import check_content, normalise

SOURCE = "seed"
BACKUP = ".seed-backup"
LONGEST = 1_048_576
"""Bytes of a file."""
_TRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenIn:
    """What became of a file."""

    version: int
    """The version that took it in."""
    at: datetime
    again: bool
    """Whether it had been taken in before: then nothing was done."""
    memories: tuple[str, ...] = ()
    """Ids of its pieces."""
    left_out: int = 0
    """Pieces that a person had erased for good."""
    shown: int = 0
    """Characters of it that the version has."""
    characters: int = 0
    """Characters of the text."""
    backup: str = ""


def take_in(memory: Engram, path: Path) -> TakenIn:
    """Take a text into the working memory of a space, unless it was taken in before.

    Raises:
        InvalidInputError: It is no text, blank or too long, or a piece of it is; nothing is done.
        DatabaseError: Others make versions all the time; the memories are stored.
    """
    text = _read(path)
    seed = hashlib.sha256(f"{memory.space}\x1f{normalise(text)}".encode()).hexdigest()
    if (done := _taken_in(memory, seed)) is not None:
        return done
    limit = memory.settings.max_content_bytes
    cut = [check_content(piece, limit=limit) for piece in pieces(printable(text))]
    backup = _back_up(path, text)
    stored, left_out = _remember(memory, cut)
    whole = printable(text).strip()
    above = shortened(whole, int(budget(memory.settings.context_tokens) * KEPT_SHARE))
    for _ in range(_TRIES):
        held = standing(memory.graph, space=memory.space)
        # In this order: who has taken it in since is found now, and who does so from now on has the number of this one.
        if (done := _taken_in(memory, seed)) is not None:
            return done
        draft = _draft(memory, held, above, stored, seed)
        if store(memory.graph, draft, space=memory.space):
            force = standing(memory.graph, space=memory.space).force
            # Another version may be in force by now; and of lines that go on, not all need be believed still.
            render(memory, draft.text if force is None else force.text)
            return TakenIn(
                version=draft.number,
                at=draft.at,
                again=False,
                memories=stored,
                left_out=left_out,
                backup=str(backup),
                shown=len(above),
                characters=len(whole),
            )
    raise DatabaseError(
        "Others made versions of the working memory meanwhile.", remedy="Run the same command again."
    )


def _taken_in(memory: Engram, seed: str) -> TakenIn | None:
    """Return the version that has taken a text in; None: there is none."""
    found = memory.graph.read("mind/state_find_seed", space=memory.space, seed=seed)
    return TakenIn(version=found[0]["version"], at=found[0]["at"], again=True) if found else None


def _read(path: Path) -> str:
    if path.stat().st_size > LONGEST:
        raise InvalidInputError(f"{path} is longer than {LONGEST:,} bytes.")
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{path} is not text in UTF-8.") from error
    if not printable(text).strip():
        raise InvalidInputError(f"{path} says nothing.")
    return text


def _back_up(path: Path, text: str) -> Path:
    """Copy the text beside its file, and return the copy, which may be there: none is ever overwritten."""
    draft = path.with_name(f".{path.name}{BACKUP}.{uuid4().hex[:8]}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        names = (f"{path.name}{BACKUP}{'' if n == 1 else f'-{n}'}" for n in count(1))
        return next(backup for name in names if _is_copy(backup := path.with_name(name), draft))
    finally:
        draft.unlink(missing_ok=True)


def _is_copy(backup: Path, draft: Path) -> bool:
    """Let a file that is not there be a copy of `draft`, and return whether it is one."""
    with suppress(FileExistsError):
        os.link(draft, backup)  # whole or not at all, and never over another
    return backup.is_file() and backup.read_bytes() == draft.read_bytes()


def _remember(memory: Engram, cut: Sequence[str]) -> tuple[tuple[str, ...], int]:
    stored, left_out = [], 0
    for piece in cut:
        try:
            stored.append(memory.remember(piece, source=SOURCE, importance=IMPORTANCE).id)
        except ErasedError:
            left_out += 1
    return tuple(dict.fromkeys(stored)), left_out


def _draft(memory: Engram, held: Standing, above: str, stored: tuple[str, ...], seed: str) -> Draft:
    """Return the version that begins with a text, with as many lines of the one before as have room behind it."""
    now, window = memory.now(), memory.settings.context_tokens
    levels = (held.levels or Levels(at=now)).after(now)
    old: dict[Section, tuple[Line, ...]] = {} if held.force is None else held.force.lines
    empty = State(at=now, mood=levels.mood(), lines={}, kept=above)
    lines = placed(old, room=budget(window) - len(empty.text()), levels=levels)
    texts = {section: tuple(each.text for each in own) for section, own in lines.items()}
    # What has no room, of an earlier text too, is cited all the same: the next version points to it.
    beside = cited(old) - cited(lines)
    if held.force is not None:
        beside |= {each.memory for each in held.force.kept_cites}
    above_all = [*stored, *sorted(beside - {*stored})]
    return Draft(
        number=held.last + 1,
        at=now,
        state="taken",
        text=State(at=now, mood=levels.mood(), lines=texts, kept=above).text(),
        mood=levels.mood(),
        reason=None,
        plain=True,
        levels=levels,
        run=uuid4().hex,
        cites=(*citations(lines), *({"memory": one, "line": KEPT, "key": KEPT_KEY} for one in above_all)),
        seed=seed,
    )
