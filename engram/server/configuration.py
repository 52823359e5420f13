"""The managed server's neo4j.conf, made from the shipped one, and Java's command line out of it."""

import re
from collections.abc import Mapping
from pathlib import Path

from engram.config import Settings
from engram.errors import ConfigurationError
from engram.server.files import shipped
from engram.server.java import VECTOR_MODULE, Java

MAIN_CLASS = "org.neo4j.server.Neo4jCommunity"
ADMIN_CLASS = "org.neo4j.cli.AdminTool"
DATABASE = "neo4j"
"""The one database of a managed server, beside Neo4j's own `system`."""
JVM_ADDITIONAL = "server.jvm.additional"
_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def parse(text: str) -> list[tuple[str, str]]:
    """Return the settings in a neo4j.conf, in order; a name may occur more than once (`server.jvm.additional`)."""
    lines = (line.strip() for line in text.splitlines())
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return [(name.strip(), value.strip()) for name, equals, value in pairs if equals]


def generate(text: str, overrides: Mapping[str, str]) -> str:
    """Return the configuration `text` with `overrides` in the place of what it says.

    Neo4j refuses a name that stands twice, so an overridden line is turned into a comment.
    """
    kept = []
    for line in text.splitlines():
        name = line.partition("=")[0].strip()
        kept.append(
            f"# (set below) {line}" if name in overrides and not line.lstrip().startswith("#") else line
        )
    added = [f"{name}={value}" for name, value in overrides.items()]
    return "\n".join(
        [
            *kept,
            "",
            "# --- Set by Engram for this managed server; written anew at every start ---",
            "",
            *added,
            "",
        ]
    )


def overrides(settings: Settings, bolt_port: int, http_port: int) -> dict[str, str]:
    """Return what a managed server sets beside the shipped configuration: its ports, its memory, its certificate.

    Raises:
        ConfigurationError: There is a certificate without a key, or the other way round.
    """
    heap = byte_count(settings.server_heap)
    shipped_values = dict(parse(shipped("neo4j.conf").read_text(encoding="utf-8")))
    values = {
        "server.bolt.listen_address": f":{bolt_port}",
        "server.bolt.advertised_address": f"localhost:{bolt_port}",
        "server.http.listen_address": f":{http_port}",
        "server.http.advertised_address": f"localhost:{http_port}",
        "server.memory.pagecache.size": settings.server_page_cache,
        # Without it bolt sits out two quiet periods of 5 s at every stop; nobody new can connect by then anyway.
        "internal.dbms.bolt.netty_server_shutdown_quiet_period_duration": "0s",
    }
    if heap != byte_count(shipped_values["server.memory.heap.max_size"]):
        initial = min(heap, byte_count(shipped_values["server.memory.heap.initial_size"]))
        values |= {
            "server.memory.heap.max_size": settings.server_heap,
            "server.memory.heap.initial_size": f"{initial // 1024}k",
            # The same shares of the heap as in the shipped file: a half for all transactions, a quarter for one.
            "dbms.memory.transaction.total.max": f"{heap // 2048}k",
            "db.memory.transaction.max": f"{heap // 4096}k",
        }
    return values | _encryption(settings)


def _encryption(settings: Settings) -> dict[str, str]:
    """Return what lets the bolt port speak TLS and nothing else, where there is a certificate."""
    certificate, key = settings.server_certificate, settings.server_key
    if certificate is None and key is None:
        return {}
    if certificate is None or key is None:
        raise ConfigurationError(
            "server_certificate and server_key belong together, and one of them is not set.",
            remedy="Set both, or neither for a connection that is not encrypted.",
        )
    policy = "dbms.ssl.policy.bolt"
    return {
        "server.bolt.tls_level": "REQUIRED",
        f"{policy}.enabled": "true",
        f"{policy}.base_directory": str(certificate.absolute().parent),
        f"{policy}.public_certificate": str(certificate.absolute()),
        f"{policy}.private_key": str(key.absolute()),
        f"{policy}.client_auth": "NONE",
    }


def byte_count(size: str) -> int:
    """Return the bytes in a size such as `512m`.

    Raises:
        ValueError: It is not a number with k, m or g.
    """
    match = re.fullmatch(r"(\d+)([kmg])", size.strip().lower())
    if match is None:
        raise ValueError(f"{size!r} is not a size such as 512m")
    return int(match[1]) * _UNITS[match[2]]


def java_flags(text: str, java: Java) -> list[str]:
    """Return Java's flags for the configuration `text`: heap and `server.jvm.additional`, as this Java knows them.

    Neo4j's own launcher reads both from the configuration; the main class, which Engram starts, does not.
    """
    pairs = parse(text)
    values = dict(pairs)
    flags = [
        f"-Xms{values['server.memory.heap.initial_size']}",
        f"-Xmx{values['server.memory.heap.max_size']}",
    ]
    for name, value in pairs:
        unknown_module = VECTOR_MODULE in value and not java.has_vector_module
        # Final in 25; in 24 it is locked as experimental, before that unknown.
        unknown_flag = "CompactObjectHeaders" in value and java.version < 25
        if name == JVM_ADDITIONAL and not (unknown_module or unknown_flag):
            flags.append(value)
    if java.version >= 23:
        # Hushes four lines of warning about Neo4j's own use of sun.misc.Unsafe; older releases refuse the option.
        flags.append("--sun-misc-unsafe-memory-access=allow")
    return flags


def server_command(java: Java, jars: Path, home: Path, conf: Path, flags: list[str]) -> list[str]:
    """Return the command that runs the server in the foreground."""
    return [
        str(java.executable),
        *flags,
        "-cp",
        str(jars / "*"),
        MAIN_CLASS,
        home_argument(home),
        f"--config-dir={conf}",
    ]


def home_argument(home: Path) -> str:
    """Return the argument by which a running server's home is known."""
    return f"--home-dir={home}"


def admin_command(java: Java, jars: Path, *arguments: str) -> list[str]:
    """Return a command of Neo4j's administration tool, in a small and quickly started Java."""
    quick = ["-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    if java.version >= 23:
        quick.append("--sun-misc-unsafe-memory-access=allow")
    return [str(java.executable), *quick, "-cp", str(jars / "*"), ADMIN_CLASS, *arguments]
