"""Why a server died while starting, read from the end of its logs, and what to do about it."""

import contextlib
import json
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Cause:
    """A known way to fail: what the log says, what that means, what to do."""

    pattern: str
    meaning: str
    remedy: str
    port: bool = False
    """Whether another pair of ports would help."""


# In order: the first that fits wins, so the precise ones stand before those that echo in many stack traces.
CAUSES = (
    Cause(
        pattern=r"Address already in use|BindException|PortBindException",
        meaning="another program listens on its port",
        remedy="Run the command again: Engram looks for the next free ports. Or set ENGRAM_BOLT_PORT and ENGRAM_HTTP_PORT.",
        port=True,
    ),
    Cause(
        pattern=r"No space left on device|Disk quota exceeded",
        meaning="the disk is full",
        remedy="Free some space, or set ENGRAM_DATA_DIR to a folder on another disk.",
    ),
    Cause(
        pattern=r"OutOfMemoryError|Could not reserve enough space|insufficient memory|Cannot allocate memory"
        r"|(?i:invalid maximum heap size)|Not enough memory|exceeds physical memory|Too small (?:initial|maximum) heap",
        meaning="there is not enough memory for it, or its heap is set too small",
        remedy="Close other programs, or change ENGRAM_SERVER_HEAP and ENGRAM_SERVER_PAGE_CACHE.",
    ),
    Cause(
        pattern=r"UnsupportedClassVersionError|Unrecognized (?:VM )?option|Could not find or load main class java"
        r"|Module \S+ not found|Unsupported Java",
        meaning="this Java cannot run it",
        remedy="Set ENGRAM_JAVA_HOME to a JDK 21 or 25.",
    ),
    Cause(
        pattern=r"locked by another process|OverlappingFileLockException|StoreLockException",
        meaning="another server has this database open",
        remedy="End that server, or set ENGRAM_DATA_DIR to another folder.",
    ),
    Cause(
        pattern=r"(?i)Unknown store version|not supported by this version|newer version of (?:Neo4j|the database)"
        r"|UnsupportedFormat|downgrade|not compatible with this (?:Neo4j )?version|UnsupportedSystemGraph"
        r"|unknown to this version|Unsupported component state",
        meaning="the database was written by another version of Neo4j",
        remedy="Install the newer Engram again, or set ENGRAM_DATA_DIR to another folder.",
    ),
    Cause(
        pattern=r"Read-only file system|Permission denied|AccessDeniedException|Operation not permitted"
        r"|NotDirectoryException|Not a directory|FileAlreadyExistsException|Unable to (?:create|write) directory",
        meaning="it cannot write to its data directory",
        remedy="Repair the folder's permissions, or set ENGRAM_DATA_DIR to another folder.",
    ),
    Cause(
        pattern=r"Unrecognized setting|declared multiple times|Error evaluating value for setting|Failed to read config"
        r"|Invalid value|Failed to (?:parse|validate)|BadConfigException|Illegal character",
        meaning="its configuration is wrong",
        remedy="Look at neo4j.conf and the memory settings in `engram config list`.",
    ),
    Cause(
        pattern=r"ClassNotFoundException|NoClassDefFoundError|Could not find or load main class|ZipException|Error opening zip",
        meaning="its program files are incomplete",
        remedy="Run `engram server install --force`.",
    ),
)
UNKNOWN = Cause(
    pattern="",
    meaning="the cause is not one that Engram knows",
    remedy="`engram server logs` shows more. If the lines stop without an error, the system may have ended it for want of memory.",
)


def find_cause(text: str) -> Cause:
    """Return the first known cause whose words stand in `text`, else `UNKNOWN`."""
    return next((cause for cause in CAUSES if re.search(cause.pattern, text)), UNKNOWN)


def tail(path: Path, lines: int, *, start: int = 0) -> list[str]:
    """Return the last `lines` lines of a log, leaving out what lies before the byte `start`.

    Reads at most the last 256 KB; a missing file has no lines.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(min(start, size), size - 262_144))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return []
    return text.splitlines()[-lines:] if lines > 0 else []


def failed_database(lines: list[str]) -> list[str]:
    """Return why a database did not come up, from lines of debug.log (one JSON object each); empty if all did.

    Neo4j goes on running then: without the system database it never answers, without the other it answers in vain.
    """
    for line in lines:
        if "Failed to start DatabaseId" in line:
            with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
                entry = json.loads(line)
                if entry["message"].startswith("Failed to start DatabaseId"):
                    trace = entry.get("stacktrace", "").splitlines()
                    return [entry["message"], *(text for text in trace if not text.startswith("\t"))]
    return []


def telling_lines(lines: list[str], count: int) -> list[str]:
    """Return the `count` lines of a log that say most: without stack frames and Java's routine warnings, last ones first to stay."""
    dull = re.compile(
        r"^\s+at |^\s*\.\.\. \d+ more|^WARNING: (?:Using incubator|sun\.misc|A terminally|Please consider)|^\s*$"
    )
    return [line for line in lines if not dull.search(line)][-count:]
