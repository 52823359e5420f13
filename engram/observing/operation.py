"""Something that takes time, and whoever watches it.

As long as nobody watches, an operation is one shared object that does nothing.
"""

import time
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Literal, ParamSpec, Protocol, Self, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
Value = str | int | float | bool
Kind = Literal["statement", "transaction", "remember", "recall", "turn", "job", "model"]


class Passed(Exception):  # noqa: N818  (no error: it carries a result out of a transaction)
    """Ends an operation early without a failure."""


class Watcher(Protocol):
    """Is told when an operation begins and ends; it must not raise."""

    def begin(self, operation: "Operation") -> None:
        """Take in that it begins, in the thread that carries it out."""

    def end(self, operation: "Operation") -> None:
        """Take in how it ended, in the same thread."""


_watchers: tuple[Watcher, ...] = ()


def add_watcher(watcher: Watcher) -> None:
    """Tell `watcher` of every operation that begins from now on."""
    global _watchers  # noqa: PLW0603  (one process is watched or it is not)
    _watchers = (*_watchers, watcher)


def remove_watcher(watcher: Watcher) -> None:
    """Tell `watcher` of nothing more."""
    global _watchers  # noqa: PLW0603  (as above)
    _watchers = tuple(each for each in _watchers if each is not watcher)


class Operation:
    """One operation under way; a context manager that begins and ends it."""

    __slots__ = ("_began", "_watchers", "details", "error", "kind", "name", "repeats", "seconds")

    def __init__(
        self, kind: Kind, name: str, details: Mapping[str, Value | None], watchers: tuple[Watcher, ...]
    ) -> None:
        self.kind = kind
        self.name = name
        self.details = {key: value for key, value in details.items() if value is not None}
        self.repeats = 0
        """How often it was tried again after an error that passes by itself."""
        self.seconds = 0.0
        """How long it took, once it has ended."""
        self.error: str | None = None
        """The database's code or the type of what it ended with; never the message, which may quote a text."""
        self._watchers = watchers
        self._began = 0

    @property
    def title(self) -> str:
        """Kind and name."""
        return f"{self.kind} {self.name}" if self.name else self.kind

    def note(self, **details: Value) -> None:
        """Add what is known only now."""
        self.details |= details

    def again(self) -> None:
        """Count a further try."""
        self.repeats += 1

    def __enter__(self) -> Self:
        self._began = time.perf_counter_ns()
        for watcher in self._watchers:
            watcher.begin(self)
        return self

    def __exit__(self, type_: object, error: BaseException | None, trace: object) -> None:
        self.seconds = (time.perf_counter_ns() - self._began) / 1e9
        # A caller who stops reading an answer closes its iterator: an end, and no failure.
        if error is not None and not isinstance(error, Passed | GeneratorExit):
            self.error = _error_name(error)
        for watcher in reversed(self._watchers):
            watcher.end(self)


class _Unwatched:
    """An operation that nobody watches."""

    __slots__ = ()

    def note(self, **details: Value) -> None:
        """Do nothing."""

    def again(self) -> None:
        """Do nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


_UNWATCHED = _Unwatched()


def operation(kind: Kind, name: str = "", **details: Value | None) -> Operation | _Unwatched:
    """Return an operation to enter.

    Args:
        kind: What sort.
        name: Which of them, out of a small set: it becomes a metric's label.
        details: What else is known of it; None is left out.
    """
    return Operation(kind, name, details, _watchers) if _watchers else _UNWATCHED


def watched(
    kind: Kind,
    describe: Callable[..., Mapping[str, Value | None]],
    told: Callable[[Any], Mapping[str, Value]] = lambda _: {},
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Make a function an operation.

    Args:
        kind: What sort.
        describe: Makes its details, and with the key `name` its name, out of the function's arguments.
        told: Makes further details out of what it returns.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def call(*arguments: P.args, **named: P.kwargs) -> T:
            if not _watchers:
                return function(*arguments, **named)
            details = dict(describe(*arguments, **named))
            with Operation(kind, str(details.pop("name", "")), details, _watchers) as under_way:
                result = function(*arguments, **named)
                under_way.note(**told(result))
                return result

        return call

    return decorate


def completed(
    kind: Kind, name: str, *, seconds: float, error: str | None = None, **details: Value | None
) -> None:
    """Tell the watchers of an operation that is over, and was none while it lasted.

    Args:
        kind: What sort.
        name: Which of them.
        seconds: How long it took until now.
        error: What kind of failure it ended with.
        details: What else is known of it; None is left out.
    """
    if not _watchers:
        return
    over = Operation(kind, name, details, _watchers)
    over.seconds, over.error = seconds, error
    for watcher in _watchers:
        watcher.begin(over)
    for watcher in reversed(_watchers):
        watcher.end(over)


def _error_name(error: BaseException) -> str:
    code = getattr(error, "code", None)
    return code if isinstance(code, str) and code.startswith("Neo.") else type(error).__name__
