"""From settings to watchers. A program calls `observe` once; `Engram.open` calls `begin_tracing`."""

import logging
from collections.abc import Callable
from threading import Lock
from types import ModuleType

from pydantic import SecretStr

from engram.config import Settings
from engram.errors import ConfigurationError
from engram.observing.logs import LogWatcher, stop_lines, write_lines
from engram.observing.operation import Watcher, add_watcher, remove_watcher

_LOG = logging.getLogger(__name__)
_lock = Lock()
_running: dict[str, Callable[[], None]] = {}
"""What is on in this process, and what ends each."""


def observe(settings: Settings, *, serving: bool) -> None:
    """Turn on what the settings ask for, in a program of its own; what is on already stays.

    Args:
        settings: `log_level`, `log_format`, `tracing`, `metrics_port`.
        serving: Whether the program runs for long, so that somebody may scrape its metrics.

    Raises:
        ConfigurationError: The extra `telemetry` is asked for and not installed.
    """
    if settings.log_level != "off":
        _once("logs", lambda: _begin_logs(settings))
    if serving and (port := settings.metrics_port) is not None:
        _once("metrics", lambda: _begin_metrics(port))
    begin_tracing(settings)


def begin_tracing(settings: Settings) -> None:
    """Make spans from now on, if the settings ask for it.

    Raises:
        ConfigurationError: The extra `telemetry` is not installed.
    """
    if settings.tracing:
        _once("spans", _begin_spans)


def stop() -> None:
    """Turn everything off; spans that wait are sent first."""
    with _lock:
        endings = [*_running.values()]
        _running.clear()
    for end in endings:
        end()


def _once(what: str, begin: Callable[[], Callable[[], None]]) -> None:
    with _lock:
        if what not in _running:
            _running[what] = begin()


def _begin_logs(settings: Settings) -> Callable[[], None]:
    secrets = [
        value.get_secret_value()
        for name in Settings.model_fields
        if isinstance(value := getattr(settings, name), SecretStr)
    ]
    handler = write_lines(settings.log_level, settings.log_format, secrets)
    return _watching(LogWatcher(), lambda: stop_lines(handler))


def _begin_metrics(port: int) -> Callable[[], None]:
    from engram.learning import waiting_lessons  # noqa: PLC0415  (which is built on what is watched)

    watcher = _extra("metrics").MetricWatcher(waiting_lessons)
    try:
        end = watcher.serve(port)
    except OSError as error:
        # Another process of the same settings may have it; no memory should fail for want of figures.
        _LOG.warning("No metrics: the port %d cannot be used (%s).", port, error.strerror)
        return lambda: None
    return _watching(watcher, end)


def _begin_spans() -> Callable[[], None]:
    watcher, provider = _extra("spans").open_tracing()
    return _watching(watcher, provider.shutdown if provider is not None else lambda: None)


def _watching(watcher: Watcher, end: Callable[[], None]) -> Callable[[], None]:
    add_watcher(watcher)

    def finish() -> None:
        remove_watcher(watcher)
        end()

    return finish


def _extra(module: str) -> ModuleType:
    """Return a module of this package that needs the extra `telemetry`."""
    from importlib import import_module  # noqa: PLC0415  (only where something is asked for)

    try:
        return import_module(f"engram.observing.{module}")
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"The settings ask for {module}, which needs the package {error.name}.",
            remedy="`pip install 'engram-neo4j[telemetry]'`, or leave tracing and metrics_port unset.",
        ) from error
