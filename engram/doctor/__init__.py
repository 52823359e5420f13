"""Every check of `engram doctor`: each looks at one thing, none stops the others, none starts or changes anything.

finding.py    what a check finds, and what all of them come to
machine.py    Java, Maven, Docker, memory, disk
files.py      who can read what must be private; what waits in files
models.py     the embedder, the reranker, the language model
database.py   the server: reachable, safe to talk to, its clock, schema and indexes
upkeep.py     jobs that failed or are late, workers that died, whether a sample of the graph is sound
"""

from collections.abc import Callable, Iterator

from engram.config import Settings
from engram.doctor import database, files, machine, models
from engram.doctor.finding import REPORT_VERSION, Finding, Report, guarded

__all__ = ["REPORT_VERSION", "Finding", "Report", "examine"]

Check = Callable[[Settings], Iterator[Finding]]
_CHECKS: dict[str, Check] = {
    "transport": database.check_transport,
    "server": database.check_server,
    "private files": files.check_private,
    "journal": files.check_journal,
    "learning": files.check_learning,
    "reranker": models.check_reranker,
    "embedder": models.check_embedder_works,
    "language model": models.check_language_model,
    "folders": machine.check_folders,
    "memory": machine.check_memory,
}
_MANAGED: dict[str, Check] = {
    "java": machine.check_java,
    "maven": machine.check_maven,
    "docker": machine.check_docker,
    "neo4j": machine.check_installation,
    "memory limits": machine.check_limits,
}
"""What matters only where Engram runs the server itself."""


def examine(settings: Settings) -> Iterator[Finding]:
    """Yield the findings of all checks, in the order in which things depend on each other."""
    checks = _CHECKS if settings.neo4j_uri is not None else _MANAGED | _CHECKS
    for name, check in checks.items():
        yield from guarded(name, lambda check=check: check(settings))  # type: ignore[misc]
