"""The generated neo4j.conf, Java's flags, the shipped files, and reasons read from logs."""

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from engram.config import Settings
from engram.errors import ConfigurationError
from engram.server.configuration import byte_count, generate, java_flags, overrides, parse
from engram.server.connection import SCHEMES, configured
from engram.server.diagnosis import UNKNOWN, find_cause, tail
from engram.server.docker import IMAGE
from engram.server.files import shipped
from engram.server.java import Java

CONF = shipped("neo4j.conf").read_text()


def java(version: int, *, vector: bool) -> Java:
    """Return a Java of this release."""
    return Java(
        home=Path("/j"),
        version=version,
        full_version=str(version),
        has_vector_module=vector,
        vendor="t",
        origin="t",
    )


def test_every_line_of_the_shipped_configuration_has_a_reason() -> None:
    """In neo4j.conf each run of settings stands below a comment that says why."""
    above = ""
    for line in CONF.splitlines():
        if line and not line.startswith("#"):
            assert above.startswith("#") or "=" in above, line
        above = line


def test_shipped_configuration_keeps_its_promises() -> None:
    """Heap, page cache, loopback, authentication, strict names, bounded waits and no reports are as documented."""
    values = dict(parse(CONF))
    assert values["server.memory.heap.max_size"] == "512m"
    assert values["server.memory.pagecache.size"] == "256m"
    assert values["server.default_listen_address"] == "127.0.0.1"
    assert values["dbms.security.auth_enabled"] == values["server.config.strict_validation.enabled"] == "true"
    assert values["dbms.usage_report.enabled"] == "false"
    assert {
        "db.lock.acquisition.timeout",
        "db.transaction.timeout",
        "db.memory.transaction.max",
    } <= values.keys()


names = st.from_regex(r"[a-z]{1,3}(\.[a-z]{1,3}){0,2}", fullmatch=True)
values = st.from_regex(r"[a-z0-9:=/]{1,8}", fullmatch=True)


@given(st.dictionaries(names, values), st.dictionaries(names, values))
def test_generated_names_stand_once_and_overrides_win(
    before: dict[str, str], changes: dict[str, str]
) -> None:
    """Neo4j refuses a name that stands twice: after overriding each stands once, with the override's value."""
    pairs = parse(generate("\n".join(f"{name}={value}" for name, value in before.items()), changes))
    assert len(pairs) == len({name for name, _ in pairs})
    assert dict(pairs) == before | changes


def test_repeated_java_flags_survive() -> None:
    """server.jvm.additional stands many times in the file, and every one stays."""
    before = [pair for pair in parse(CONF) if pair[0] == "server.jvm.additional"]
    after = parse(generate(CONF, overrides(Settings.load(), 1, 2)))
    assert [pair for pair in after if pair[0] == "server.jvm.additional"] == before


def test_memory_follows_the_settings() -> None:
    """A larger heap takes the bounds on transactions with it; the default leaves the file's numbers alone."""
    assert "server.memory.heap.max_size" not in overrides(Settings.load(), 1, 2)
    raised = overrides(Settings.load(server_heap="2g", server_page_cache="1g"), 1, 2)
    assert byte_count(raised["server.memory.heap.max_size"]) == 2 << 30
    assert byte_count(raised["dbms.memory.transaction.total.max"]) == 1 << 30
    assert byte_count(raised["db.memory.transaction.max"]) == 1 << 29
    assert raised["server.memory.pagecache.size"] == "1g"


def test_initial_heap_is_never_above_the_largest() -> None:
    """A heap below the usual starting size starts at its own size."""
    small = overrides(Settings.load(server_heap="100m"), 1, 2)
    assert byte_count(small["server.memory.heap.initial_size"]) == byte_count("100m")


def test_java_gets_only_flags_it_knows() -> None:
    """The vector module and the newest options are left out where this Java would refuse them."""
    full, old, bare = (java_flags(CONF, java(v, vector=m)) for v, m in ((25, True), (21, True), (25, False)))
    assert full[:2] == ["-Xms128m", "-Xmx512m"]
    assert {"-XX:+UseCompactObjectHeaders", "--add-modules=jdk.incubator.vector"} <= set(full)
    assert "--sun-misc-unsafe-memory-access=allow" in full
    assert not any("Compact" in flag or "sun-misc" in flag for flag in old)
    assert not any("jdk.incubator.vector" in flag for flag in bare)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_of_neo4j_is_taken(scheme: str) -> None:
    """The six schemes are accepted as they are, and the password is not in the representation."""
    connection = configured(
        Settings.load(neo4j_uri=f"{scheme}://db.example:7687", neo4j_password="hidden-word")
    )
    assert connection is not None
    assert (connection.uri, connection.origin) == (f"{scheme}://db.example:7687", "configured")
    assert "hidden-word" not in repr(connection)


@pytest.mark.parametrize(
    "uri",
    [
        "http://h:1",
        "bolt:h",
        "bolt://",
        "h:7687",
        "bolt://h:x",
        "bolt://h:99999",
        "bolt://u:geheim@h",
        "bolt://h/db",
        "neo4j+x://h",
    ],
)
def test_other_addresses_are_refused(uri: str) -> None:
    """Anything else is a configuration error that lists the schemes and repeats no password."""
    with pytest.raises(ConfigurationError, match=r"neo4j\+ssc://") as caught:
        configured(Settings.load(neo4j_uri=uri, neo4j_password="x"))
    assert "geheim" not in str(caught.value)


def test_a_configured_server_needs_a_password() -> None:
    """An address without a password is refused before anything is contacted."""
    with pytest.raises(ConfigurationError, match="ENGRAM_NEO4J_PASSWORD"):
        configured(Settings.load(neo4j_uri="bolt://h"))


def test_compose_file_is_closed_to_the_outside() -> None:
    """Ports are published on loopback only, the configuration is read-only, a password is required."""
    compose = yaml.safe_load(shipped("docker-compose.yml").read_text())
    neo4j, jobs = compose["services"]["neo4j"], compose["services"]["jobs"]
    assert neo4j["image"] == f"${{ENGRAM_NEO4J_IMAGE:-{IMAGE}}}"
    assert all(port.startswith("127.0.0.1:") for port in neo4j["ports"])
    assert "./neo4j.conf:/conf/neo4j.conf:ro" in neo4j["volumes"]
    assert neo4j["environment"]["NEO4J_AUTH"].startswith("neo4j/${NEO4J_PASSWORD:?")
    assert jobs["depends_on"]["neo4j"]["condition"] == "service_healthy"
    # The image turns every other NEO4J_ variable into a setting, and a wrong name stops the server.
    for name in set(neo4j["environment"]) - {"NEO4J_AUTH"}:
        setting = re.sub(r"\x00", "_", name.removeprefix("NEO4J_").replace("__", "\x00").replace("_", "."))
        assert setting in {**dict(parse(CONF)), **overrides(Settings.load(), 1, 2)}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Caused by: java.net.BindException: Address already in use", "port"),
        ("java.io.IOException: No space left on device", "disk is full"),
        ("java.lang.OutOfMemoryError: Java heap space", "memory"),
        ("Unrecognized option: --sun-misc", "this Java"),
        ("FileLockException: Lock file has been locked by another process: /x/store_lock", "another server"),
        ("java.nio.file.AccessDeniedException: /x/data", "cannot write"),
        ("Unrecognized setting. No declared setting with name: db.tipo", "configuration"),
        ("java.lang.NoClassDefFoundError: org/neo4j/X", "incomplete"),
    ],
)
def test_a_crash_has_its_cause(line: str, words: str) -> None:
    """Each known way to fail is told from the log's words, with a remedy."""
    cause = find_cause(f"INFO Starting...\n{line}\n\tat x.y.Z")
    assert words in cause.meaning
    assert cause.remedy


def test_an_unknown_crash_says_so() -> None:
    """A log without known words is not explained by a guess."""
    assert find_cause("INFO Starting...\nINFO Stopping...") is UNKNOWN


def test_tail_leaves_out_what_was_there_before(tmp_path: Path) -> None:
    """Only lines after the given byte count, at most as many as asked for, and a missing log has none."""
    log = tmp_path / "log"
    log.write_text("old\n" + "".join(f"new {n}\n" for n in range(5)))
    assert tail(log, 3, start=4) == ["new 2", "new 3", "new 4"]
    assert tail(log, 99, start=4)[0] == "new 0"
    assert tail(log, 2, start=10_000) == []
    assert tail(tmp_path / "none", 5) == []
