"""Neo4j's jars, fetched once by Maven and shared by every data directory; complete or absent."""

import json
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

import filelock

from engram.config import Settings, child_environment
from engram.errors import InstallError
from engram.server.files import BROWSER_VERSION, NEO4J_VERSION
from engram.server.java import Java, find_java, missing_java

JAR_COUNT = 231
"""How many jars this version has; for the progress bar."""
_NEEDED = (
    f"neo4j-server-{NEO4J_VERSION}.jar",
    f"neo4j-{NEO4J_VERSION}.jar",
    f"neo4j-dbms-{NEO4J_VERSION}.jar",
    f"neo4j-browser-{BROWSER_VERSION}.jar",
)
_RECEIPT = "installed.json"
_SPACE = 400_000_000  # jars in Maven's own store, then our copy of them

Progress = Callable[[int, int | None, str], None]
"""Called with jars done, jars in all (None: not known yet) and what is happening."""

_POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>engram</groupId><artifactId>server</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.neo4j.app</groupId><artifactId>neo4j-server</artifactId><version>{NEO4J_VERSION}</version></dependency>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{NEO4J_VERSION}</version></dependency>
    <dependency><groupId>org.neo4j.client</groupId><artifactId>neo4j-browser</artifactId><version>{BROWSER_VERSION}</version></dependency>
  </dependencies>
</project>
"""

# What Maven says, and what to do about it; the first that fits wins.
_REMEDIES = (
    (r"No space left on device|Disk quota exceeded", "Free some disk space and try again."),
    (
        r"Read-only file system|Permission denied|AccessDenied",
        "Make Maven's folder ~/.m2 and the cache directory writable.",
    ),
    (
        r"Unknown ?[Hh]ost|Connection re(?:fused|set)|timed out|unreachable|offline mode|transfer|PKIX|No plugin found",
        "Check the network (or Maven's proxy and mirror in ~/.m2/settings.xml) and try again; what has arrived is kept.",
    ),
    (r"Could not find artifact|was not found in", "Maven's mirror lacks Neo4j; check ~/.m2/settings.xml."),
    (r"JAVA_HOME|java: (?:command )?not found|No such file", "Maven found no Java; set JAVA_HOME to a JDK."),
)


def find_maven() -> str | None:
    """Return the path of `mvn`, or None."""
    return shutil.which("mvn", path=child_environment().get("PATH", ""))


def folder(settings: Settings) -> Path:
    """Return the folder that holds, or will hold, the jars."""
    return settings.cache_dir.expanduser().absolute() / "neo4j" / NEO4J_VERSION


def installed(settings: Settings) -> Path | None:
    """Return the folder of the jars if they are all there, else None."""
    home = folder(settings)
    try:
        names = json.loads((home / _RECEIPT).read_text(encoding="utf-8"))["jars"]
        there = {path.name for path in home.iterdir()}
        return home if there.issuperset(names) and there.issuperset(_NEEDED) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def install(
    settings: Settings, progress: Progress | None = None, *, java: Java | None = None, force: bool = False
) -> Path:
    """Fetch the jars if they are not there and return their folder.

    Two processes that install at once do it once: the second waits. `force` fetches them again.

    Raises:
        InstallError: Maven or Java is missing, Maven failed, or the cache cannot be written; nothing is left behind.
    """
    home = folder(settings)
    if not force and (there := installed(settings)):
        return there
    maven = find_maven()
    if maven is None:
        raise InstallError(
            "Maven, which fetches Neo4j, is not installed.", remedy="Install it (`mvn` on PATH), or Docker."
        )
    java = java or find_java(settings)
    if java is None:
        raise InstallError(
            missing_java() + ".", remedy="Install a JDK 25, or `pip install 'engram-neo4j[embedded]'`."
        )
    report = progress or (lambda _done, _total, _message: None)
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(home.with_name(f"{home.name}.lock")):
            if not force and (there := installed(settings)):
                return there
            if shutil.disk_usage(home.parent).free < _SPACE:
                raise InstallError(
                    f"Less than {_SPACE // 1_000_000} MB are free at {home.parent}.",
                    remedy="Free some space, or set ENGRAM_CACHE_DIR to a folder on another disk.",
                )
            with tempfile.TemporaryDirectory(prefix=".installing-", dir=home.parent) as draft:
                _fetch(maven, java, Path(draft), report)
                _put(Path(draft) / "jars", home)
    except OSError as error:
        raise InstallError(
            f"Neo4j cannot be installed into {home.parent}: {error.strerror or error}.",
            remedy="Make it writable, or set ENGRAM_CACHE_DIR to another folder.",
        ) from error
    return home


def _fetch(maven: str, java: Java, draft: Path, report: Progress) -> None:
    """Let Maven copy the jars into `draft`/jars and check what came."""
    (draft / "pom.xml").write_text(_POM, encoding="utf-8")
    jars = draft / "jars"
    jars.mkdir()
    # The java that `mvn` would find may be missing or broken; the one that will run Neo4j is known to be there.
    environment = child_environment(JAVA_HOME=str(java.home))
    command = [
        maven,
        "-B",
        "-f",
        str(draft / "pom.xml"),
        "dependency:copy-dependencies",
        "-DincludeScope=runtime",
    ]
    report(0, None, "asking Maven for Neo4j")
    with subprocess.Popen(
        [*command, f"-DoutputDirectory={jars}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=draft,
        env=environment,
    ) as process:
        try:
            said = _follow(process.stdout or [], report)
            code = process.wait()
        except BaseException:
            # Ctrl-C while it downloads: do not leave it running behind our back.
            process.terminate()
            raise
    if code != 0:
        raise failure(said, code)
    names = sorted(path.name for path in jars.glob("*.jar"))
    broken = [name for name in names if not zipfile.is_zipfile(jars / name)]
    absent = [name for name in _NEEDED if name not in names]
    if broken or absent or len(names) < JAR_COUNT * 0.9:
        what = f"{', '.join(absent + broken) or 'some'} missing or broken"
        raise InstallError(
            f"Maven ended well, but Neo4j's jars are not complete ({len(names)} came, {what}).",
            remedy="Try again; if it happens again, remove org/neo4j in ~/.m2/repository first.",
        )
    (jars / _RECEIPT).write_text(json.dumps({"version": NEO4J_VERSION, "jars": names}), encoding="utf-8")
    report(len(names), len(names), "Neo4j is installed")


def _follow(lines: Iterable[str], report: Progress) -> list[str]:
    """Turn Maven's output into progress; return the last lines that are not about progress."""
    fetched: set[str] = set()
    copied: set[str] = set()
    said: deque[str] = deque(maxlen=200)
    for raw in lines:
        line = re.sub(r"\x1b\[[0-9;]*m", "", raw).rstrip()
        if match := re.search(r"Copying (\S+\.jar) to ", line):
            copied.add(match[1])
            report(len(copied), max(JAR_COUNT, len(copied)), f"copying {match[1]}")
        elif match := re.search(r"Downloaded from .*/([^/\s]+\.jar)", line):
            fetched.add(match[1])
            # Maven's own plugins are among them, so the end is left to the copying.
            report(min(len(fetched), JAR_COUNT - 1), JAR_COUNT, f"fetched {match[1]}")
        elif "Downloading from" not in line and "Downloaded from" not in line and line.strip():
            said.append(line)
    return list(said)


def failure(said: list[str], code: int) -> InstallError:
    """Return the error for a Maven that failed with this exit code after these lines."""
    errors = [line for line in said if line.startswith("[ERROR]") and len(line) > len("[ERROR] ")]
    telling = [
        line
        for line in errors
        if not re.search(r"re-run Maven|Re-run Maven|For more information|\[Help 1\] http", line)
    ]
    shown = (telling or said)[-4:] or ["(no output)"]
    text = "\n".join(said)
    remedy = next(
        (remedy for pattern, remedy in _REMEDIES if re.search(pattern, text)),
        "Run it again; if it fails again, see Maven's lines.",
    )
    quoted = "\n".join(f"  {line[:400]}" for line in shown)
    return InstallError(f"Maven could not fetch Neo4j (exit code {code}):\n{quoted}\n", remedy=remedy)


def _put(jars: Path, home: Path) -> None:
    """Move the finished folder to its place; what lay there before goes only when the new one is in."""
    if not home.exists():
        jars.rename(home)
        return
    aside = jars.with_name("replaced")
    home.rename(aside)
    jars.rename(home)
