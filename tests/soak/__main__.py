"""Everything at once for a long time: `python -m tests.soak [--minutes 30]`, or `make soak MINUTES=30`.

A chat, a program that remembers and recalls, and the jobs at their shortest intervals run beside each other in processes
of their own, over a managed server that is stopped or killed every few minutes and started again. All the while their
threads, open files and memory are looked at. At the end it fails where something has grown, where something that was
acknowledged is not there, where the job `health` finds something broken, or where a process did not end well.

`--write` puts the figures into docs/how-to/operate.md and the picture beside it; `--csv FILE` writes all samples.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import psutil

from engram.config import Settings
from engram.graph import Graph
from engram.lifecycle import tune
from engram.memory import Engram
from engram.server import Connection, ManagedServer
from engram.tuning import NUMBERS
from tests.protocol.llm_server import Answer, ModelServer
from tests.soak.crew import BIN, ENDING, ROOT, Chat, Jobs, Worker
from tests.soak.samples import Sample, courses, picture, table, take, write_csv

SPACE = "soak"
TALK, LOOK = 4.0, 5.0
"""Seconds between two lines of the chat, and between two looks at the processes."""
MINUTES_A_RESTART = 6.0
"""Of the server, which is stopped and killed in turns; there are two restarts at least."""
LEAST_MINUTES = 10.0
"""A soak that is shorter says nothing about growth: its second quarter is still warming up."""
PAGE = ROOT / "docs" / "how-to" / "operate.md"
PICTURE = ROOT / "docs" / "soak.svg"
BEGIN, END = "<!-- soak:begin -->", "<!-- soak:end -->"
LINES = (
    "I live in Utrecht and work at the city library.",
    "My sister Ines moved to Porto in May.",
    "What do you remember of my sister?",
    "I do not like coffee any more, I drink tea.",
    "Where do I work?",
)


@dataclass(slots=True)
class Soak:
    """One soak."""

    minutes: float
    folder: Path
    samples: list[Sample] = field(default_factory=list)
    restarts: list[float] = field(default_factory=list)
    """Seconds since the start."""
    faults: list[str] = field(default_factory=list)
    figures: dict[str, int] = field(default_factory=dict)
    _began: float = field(default_factory=time.monotonic)

    def run(self) -> None:
        """Run everything, and look at what came of it."""
        settings = Settings.load(data_dir=self.folder / "data", server_backend="maven")
        server = ManagedServer(settings)
        there = server.start(_say)
        try:
            self._prepare(there)
            with ModelServer.running("gemini", Answer(deltas=["I ", "see."])) as model:
                model.shaped = Answer(deltas=['{"confidence": 0.95}'])
                self._work(server, _environment(there, self.folder, model.url))
        finally:
            server.stop()

    @property
    def _now(self) -> float:
        return time.monotonic() - self._began

    def _prepare(self, there: Connection) -> None:
        """Set the database up, and let every job run as often as it can."""
        settings = _settings(there, self.folder)
        with Engram.open(settings, space=SPACE) as memory:
            for key in NUMBERS:
                if key.endswith(".interval_minutes"):
                    now, graph = datetime.now(UTC), memory.graph
                    tune(graph, space=SPACE, key=key, value=1, by=SPACE, now=now)

    def _work(self, server: ManagedServer, environment: Mapping[str, str]) -> None:
        with ExitStack() as stack:
            chat = Chat(environment, self.folder / "chat.log")
            worker = Worker(environment, self.folder)
            jobs = Jobs(environment, self.folder / "jobs.log")
            for each in (chat, worker, jobs):
                stack.callback(each.process.kill)
            _await(lambda: bool(chat.events and worker.memories))
            said = self._loop(
                server,
                chat,
                {"chat": chat.process.pid, "program": worker.process.pid, "jobs": jobs.process.pid},
            )
            self.figures = worker.end()
            for name, code in (("chat", chat.end()), ("jobs", jobs.end())):
                if code:
                    self.faults.append(
                        f"{name} ended with {code}; the chat: {dict(chat.events)}, {chat.said_wrong[-3:]}"
                    )
            self.figures |= {"lines of the chat": said, "replies": chat.events["replied"]}
            if chat.heard != said:
                self.faults.append(f"the chat said that {chat.heard} of {said} lines are durable")
            self._look_at_graph(environment, worker.memories, chat.turns)

    def _loop(self, server: ManagedServer, chat: Chat, pids: Mapping[str, int]) -> int:
        """Talk, look and restart until the time is over; return how many lines were said."""
        self._began = time.monotonic()
        whole = 60.0 * self.minutes
        restarts = max(2, round(self.minutes / MINUTES_A_RESTART))
        said = looked = 0
        while self._now < whole:
            if self._now >= said * TALK:
                chat.say(f"{LINES[said % len(LINES)]} ({said})")
                said += 1
            if self._now >= looked * LOOK:
                self.samples += take(self._now, dict(pids) | {"server": server.status().pid or 0})
                looked = int(self._now / LOOK) + 1
            # In even parts, and none at the end: what a restart costs must be over by then.
            if len(self.restarts) < restarts and self._now >= whole * (len(self.restarts) + 1) / (
                restarts + 1
            ):
                self._restart(server)
            time.sleep(0.25)
        return said

    def _restart(self, server: ManagedServer) -> None:
        self.restarts.append(self._now)
        pid = server.status().pid
        if len(self.restarts) % 2 == 0 and pid is not None:
            killed = psutil.Process(pid)
            killed.kill()
            killed.wait(ENDING)  # until then it seems to run
        else:
            server.stop()
        server.start(_say)

    def _look_at_graph(
        self, environment: Mapping[str, str], memories: Sequence[str], turns: Sequence[str]
    ) -> None:
        """Look for everything that was acknowledged, and have the job `health` look at the whole."""
        address = (environment[f"ENGRAM_NEO4J_{name}"] for name in ("URI", "USER", "PASSWORD", "DATABASE"))
        text = Path(__file__).with_name("find_missing.cypher").read_text(encoding="utf-8")
        with Graph(*address) as graph:
            missing = graph._run(
                "READ", text, {"space": SPACE, "memories": list(memories), "turns": list(turns)}
            )[0]
            runs = graph.read("inspect/list_job_runs", space=SPACE, job=None, limit=100_000)
        self.figures |= {
            "memories acknowledged": len(memories),
            "turns acknowledged": len(turns),
            "runs of jobs": len(runs),
            "runs that failed": sum(bool(run["failed"]) for run in runs),
        }
        for name in ("memories", "turns"):
            if missing[name]:
                self.faults.append(
                    f"{len(missing[name])} acknowledged {name} are not there: {missing[name][:3]}"
                )
        # What a killed server left of leases, and a scheduler that was told to end of clusters, is their next run's.
        for job in ("sweep", "cluster"):
            _run_job(job, environment)
        health = _run_job("health", environment)
        broken = [row for row in json.loads(health.stdout)["report"] if row.get("broken")]
        if health.returncode or broken:
            self.faults.append(f"health ended with {health.returncode}: {broken}")

    def judge(self) -> list[str]:
        """Return everything that is wrong; a growing server is none, its heap has a bound of its own."""
        if self.minutes < LEAST_MINUTES:
            return self.faults
        judged = [course for course in courses(self.samples) if course.process != "server"]
        return self.faults + [words for course in judged for words in course.growth()]

    def report(self) -> str:
        """Return what was done and what the processes held, as markdown."""
        killed = len(self.restarts) // 2
        done = ", ".join(f"{name} {number:,}" for name, number in self.figures.items())
        return (
            f"{self.minutes:g} minutes, {len(self.restarts)} restarts of the server, {killed} of them by killing it: "
            f"{done}.\n\nMedians of the second quarter → of the last one.\n\n{table(self.samples)}\n"
        )


def _settings(there: Connection, folder: Path) -> Settings:
    return Settings.load(
        data_dir=folder / "own",
        neo4j_uri=there.uri,
        neo4j_user=there.user,
        neo4j_password=there.password,
        neo4j_database=there.database,
    )


def _environment(there: Connection, folder: Path, model: str) -> dict[str, str]:
    """Return the environment of the processes: this server, this model and no other."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith("ENGRAM_") or "CACHE" in name
    }
    return kept | {
        "ENGRAM_NEO4J_URI": there.uri,
        "ENGRAM_NEO4J_USER": there.user,
        "ENGRAM_NEO4J_PASSWORD": there.password,
        "ENGRAM_NEO4J_DATABASE": there.database,
        "ENGRAM_SPACE": SPACE,
        "ENGRAM_DATA_DIR": str(folder / "own"),
        "ENGRAM_CONFIG_FILE": os.devnull,
        "ENGRAM_LLM": "gemini",
        "ENGRAM_SYSTEM2": "none",
        "ENGRAM_GEMINI_BASE_URL": model,
        "ENGRAM_GEMINI_MODEL": "scripted",
    }


def _run_job(name: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    command = [str(BIN / "engram"), "jobs", "run", name, "--json"]
    return subprocess.run(command, env=environment, capture_output=True, check=False)


def _await(ready: Callable[[], bool]) -> None:
    """Wait until the processes have begun.

    Raises:
        TimeoutError: They have not, in the time in which one would have to end.
    """
    limit = time.monotonic() + ENDING
    while not ready():
        if time.monotonic() > limit:
            raise TimeoutError("the processes did not begin")
        time.sleep(0.25)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Soak, print the figures, and fail where something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--csv", type=Path, help="write all samples here")
    parser.add_argument("--write", action="store_true", help="put the figures into the documentation")
    options = parser.parse_args()
    # Whoever ends it ends what it has started as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(options.minutes, Path(folder))
        well = False
        try:
            soak.run()
            well = not soak.judge()
        finally:
            for log in [] if well else sorted(Path(folder).glob("*.log")):
                _say(f"--- {log.name}\n" + "\n".join(log.read_text(encoding="utf-8").splitlines()[-20:]))
    print(soak.report())
    if options.csv:
        write_csv(soak.samples, options.csv)
    if options.write:
        head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        text = f"{BEGIN}\n\n{soak.report()}\n![Resident memory by process](../soak.svg)\n\n{END}"
        PAGE.write_text(head + text + rest.partition(END)[2], encoding="utf-8")
        PICTURE.write_text(picture(soak.samples, soak.restarts), encoding="utf-8")
    if wrong := soak.judge():
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
