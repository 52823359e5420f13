"""Whether a run still goes on, and how long it was away, in words."""

import os
import socket
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.loop.restart import SILENT, Manifest, is_alive, span

NOW = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)


def run(**more: Any) -> dict[str, Any]:
    """Return a run of this very process."""
    return {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "process_started_at": psutil.Process().create_time(),
        "seen_at": NOW,
    } | more


def test_this_process_is_alive() -> None:
    """However long it has said nothing."""
    assert is_alive(run(seen_at=NOW - timedelta(days=9)), now=NOW)


def test_a_process_number_that_was_given_away_is_told_by_its_start() -> None:
    """Another process may have the number of one that is over."""
    earlier = psutil.Process().create_time() - 60.0
    assert not is_alive(run(process_started_at=earlier), now=NOW)


def test_a_process_that_ended_is_over_whether_anybody_looked_or_not() -> None:
    """Until its parent asks for its end, its number is still in the process table."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        process = psutil.Process(child.pid)
        born = run(pid=child.pid, process_started_at=process.create_time())
        assert is_alive(born, now=NOW)
        process.kill()
        while process.status() != psutil.STATUS_ZOMBIE:
            pass
        assert not is_alive(born, now=NOW)
    assert not is_alive(born, now=NOW)


@pytest.mark.parametrize(
    ("silent", "alive"),
    [
        (timedelta(0), True),
        (SILENT - timedelta(seconds=1), True),
        (SILENT, False),
        (timedelta(days=9), False),
    ],
)
def test_of_another_machine_only_the_last_sign_of_life_is_known(silent: timedelta, alive: bool) -> None:  # noqa: FBT001
    """A run elsewhere is over once it was silent for an hour, whatever process has its number here."""
    assert is_alive(run(host="elsewhere", seen_at=NOW - silent), now=NOW) is alive


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (timedelta(seconds=59), "less than a minute"),
        (timedelta(minutes=1), "1 minute"),
        (timedelta(minutes=59, seconds=59), "59 minutes"),
        (timedelta(hours=1), "1 hour"),
        (timedelta(hours=23), "23 hours"),
        (timedelta(days=1), "1 day"),
        (timedelta(days=400), "400 days"),
    ],
)
def test_time_in_words(time: timedelta, words: str) -> None:
    """The largest unit that there is one of."""
    assert span(time) == words


@given(st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=9_999)))
def test_words_never_say_more_than_it_was(time: timedelta) -> None:
    """Time in words is rounded down, and by less than half of it from an hour on."""
    sizes = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": timedelta(days=1)}
    count, _, unit = span(time).partition(" ")
    said = int(count) * sizes[unit.removesuffix("s")] if count.isdigit() else timedelta(0)
    assert said <= time
    assert time - said <= max(said, timedelta(minutes=1))


def manifest(**more: Any) -> Manifest:
    """Return where things stood at the third start, a day after the last."""
    stood: dict[str, Any] = {
        "created_at": NOW - timedelta(days=12),
        "last_seen_at": NOW - timedelta(days=1),
        "restarts": 2,
        "uptime_hours": 3.25,
        "now": NOW,
        "alive": (),
        "unfinished": (),
    }
    return Manifest(**stood | more)


def test_the_line_tells_how_long_it_was_away_and_how_old_it_is() -> None:
    """Away, starts, uptime and age stand in one line for the prompt."""
    assert (
        manifest().line()
        == "You were last at work 1 day ago. You were started 2 times before, and were at work for 3.2 hours in all "
        "since your beginning 12 days ago."
    )


def test_the_first_run_was_never_away() -> None:
    """There is nothing to say of a time before the first conversation."""
    first = manifest(last_seen_at=None, restarts=0, created_at=NOW)
    assert first.away is None
    assert first.age_days == 0.0
    assert first.line().startswith("This is your first conversation.")


def test_it_knows_from_its_beginning_that_it_is_observed() -> None:
    """The first prompt says that thoughts are written down and who can read them; it stays within its line."""
    line = manifest(last_seen_at=None, restarts=0, created_at=NOW).line()
    assert "Your thoughts are written down" in line
    assert "can read them" in line
    assert len(line) < 500


def test_a_clock_that_went_back_makes_nobody_away() -> None:
    """Another machine's clock may be ahead of ours."""
    assert manifest(last_seen_at=NOW + timedelta(minutes=5)).away == timedelta(0)
