"""LoCoMo-style JSON: whole conversations in one document, in sessions with a date each."""

import re
from collections.abc import Iterator, Mapping

from engram.errors import ImportFileError
from engram.records import Turn

from .jsonl import parse_json
from .record import Names, turn_from_record
from .source import Source
from .times import read_time

_SESSION = re.compile(r"session_(\d{1,6})")


def read_locomo(source: Source, *, session: str) -> Iterator[tuple[int, Turn | str]]:
    """Yield each turn's position in the document, from 1, and the turn, or the reason why it is none.

    Three layouts, alone or in a list: `{"sample_id", "conversation": {"session_1_date_time", "session_1": [...]}}`
    with `speaker`, `dia_id`, `text` and `blip_caption`; `{"id", "turns": [...]}`; and a bare list of turns. A
    session's name begins with the conversation's, so that the first sessions of two conversations stay apart.

    Args:
        source: The text.
        session: The name of a conversation that has none.

    Raises:
        ImportFileError: Not JSON, nested too deeply, or of another layout.
    """
    document, reason = parse_json(source.whole())
    if reason:
        raise ImportFileError(f"{source.name} {reason}.")
    names = Names()
    position = 0
    conversations = document if isinstance(document, list) else [document]
    for conversation in conversations:
        for turn in _turns(conversation, names, session, alone=len(conversations) == 1):
            position += 1
            yield position, turn
    if position == 0 and conversations:
        raise ImportFileError(
            f"{source.name} is JSON, but holds no conversation that Engram knows.",
            remedy="Write one JSON object a line with session, at, speaker and text.",
        )


def _turns(conversation: object, names: Names, session: str, *, alone: bool) -> Iterator[Turn | str]:
    if not isinstance(conversation, Mapping):
        yield turn_from_record(conversation, names, session=session)
        return
    name = conversation.get("sample_id", conversation.get("id"))
    name = str(name) if isinstance(name, str | int) and str(name).strip() else session
    inner = conversation.get("conversation")
    if isinstance(inner, Mapping):
        yield from _sessions(inner, names, name)
    elif isinstance(turns := conversation.get("turns"), list):
        for record in turns:
            yield turn_from_record(record, names, session=name, prefix=f"{name}/")
    elif not alone or conversation.keys() & {"text", "content"}:
        yield turn_from_record(conversation, names, session=session)


def _sessions(conversation: Mapping[str, object], names: Names, name: str) -> Iterator[Turn | str]:
    numbered = sorted(
        (int(match[1]), key) for key in conversation if (match := _SESSION.fullmatch(key)) is not None
    )
    for _, key in numbered:
        stated = conversation.get(f"{key}_date_time")
        at = read_time(stated)
        records = conversation[key]
        if not isinstance(records, list):
            yield f"{key} is not a list of turns"
        elif stated is not None and at is None:
            yield f"{key}_date_time {str(stated)[:60]!r} is not a time; its {len(records)} turns are left out"
        else:
            for record in records:
                yield turn_from_record(record, names, session=f"{name}/{key}", at=at)
