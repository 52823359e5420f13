"""One turn from one record, and the names that turns go by."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from engram.records import Turn

from .times import read_time

# The first of each is what Engram writes; the others are what chat programs and model APIs call it.
_TEXT = ("text", "content", "message", "body")
_SPEAKER = ("speaker", "role", "author", "from", "name")
_AT = ("at", "event_at", "said_at", "timestamp", "time", "date", "created_at")
_SESSION = ("session", "session_id", "conversation", "conversation_id")
_ID = ("id", "dia_id", "turn_id", "message_id")
_CAPTION = ("caption", "blip_caption")


class Names:
    """The ids within one file: makes those that are missing and notices those that come twice.

    A made id is a digest of time, speaker and text, and counts repetitions. A position would be shorter, but one
    line added at the top of a log (or a chat program that exports only the last so many messages) would move all
    of them, and the next import would take every turn for another one.
    """

    def __init__(self) -> None:
        # 64-bit hashes, a third of the strings' memory; a million turns collide once in thirty million files.
        self._seen: set[int] = set()
        self._repeated: Counter[int] = Counter()

    def take(self, session: str, name: str) -> bool:
        """Say whether `name` is new in the session, and keep it."""
        key = hash((session, name))
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def make(self, session: str, *, at: datetime | None, speaker: str, text: str) -> str:
        """Return an id that the same turn gets again at the next import."""
        said = "\0".join((at.isoformat() if at else "", speaker, text))
        digest = hashlib.blake2b(said.encode(), digest_size=8).hexdigest()
        key = hash((session, digest))
        while True:
            self._repeated[key] += 1
            count = self._repeated[key]
            name = digest if count == 1 else f"{digest}-{count}"
            if self.take(session, name):
                return name


def turn_from_record(
    record: object, names: Names, *, session: str, at: datetime | None = None, prefix: str = ""
) -> Turn | str:
    """Return the turn that a JSON object means, or the reason why it means none.

    Args:
        record: As parsed: `text` and `speaker` are needed; `at`, `session`, `id`, `caption`, `source` are optional.
        names: The ids given so far.
        session: The session of a record that names none.
        at: The time of a record that names none.
        prefix: Put before the record's own session.
    """
    if not isinstance(record, Mapping):
        return f"is {_sort(record)}, not an object with speaker and text"
    try:
        text = _string(record, _TEXT)
        speaker = _string(record, _SPEAKER)
        caption = _string(record, _CAPTION)
        own_session = _string(record, _SESSION)
        own = _string(record, _ID)
        source = _string(record, ("source",))
    except ValueError as error:
        return str(error)
    if not text and caption:
        text, caption = f"(a picture: {caption})", None
    if not text or not speaker:
        return "has no speaker" if text else "has no text"
    key, when = _first(record, _AT)
    if when is not None:
        at = read_time(when)
        if at is None:
            return f"{key} {str(when)[:60]!r} is not a time"
    session = prefix + own_session if own_session else session
    if own is None:
        own = names.make(session, at=at, speaker=speaker, text=text)
    elif not names.take(session, own):
        return f"the id {own[:60]!r} was there before in session {session[:60]!r}"
    return Turn(text=text, speaker=speaker, at=at, session=session, id=own, caption=caption, source=source)


def _first(record: Mapping[str, object], keys: tuple[str, ...]) -> tuple[str, object]:
    return next(((key, record[key]) for key in keys if record.get(key) is not None), (keys[0], None))


def _string(record: Mapping[str, object], keys: tuple[str, ...]) -> str | None:
    """Return the first of `keys` that is there as text, None if blank or missing."""
    key, value = _first(record, keys)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValueError(f"{key} is {_sort(value)}, not text")  # noqa: TRY004  (the caller turns it into a reason)
    if half := next((char for char in value if "\ud800" <= char <= "\udfff"), None):
        raise ValueError(f"{key} holds half a character (U+{ord(half):04X}): it was cut in the middle")
    return value if value.strip() else None


def _sort(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
