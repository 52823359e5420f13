"""The file of an export: its values, its lines, its bounds, and the forms that other programs read."""

import gzip
import io
import json
import math
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram import statements
from engram.errors import ImportFileError, InvalidInputError
from engram.moving import files, values
from engram.moving.files import Source, written_whole
from engram.moving.format import Counts, Header, KeySet, LineWriter, as_json
from engram.moving.graphml import write_graphml
from engram.moving.labels import ACROSS_SPACES, BY_CONTENT, KEYS, KINDS, TYPES
from engram.moving.reading import Checked, check_file
from engram.moving.script import write_script
from engram.schema import VERSION as SCHEMA_VERSION

HEADER = Header(
    space="alice",
    schema=SCHEMA_VERSION,
    embed_model="hash-2",
    dimensions=2,
    embeddings=True,
    exported_at="2026-03-01T10:00:00+00:00",
)
MEMORY = {
    "id": "a" * 32,
    "space": "alice",
    "kind": "semantic",
    "content": 'Ada\'s <bees> & \\ "kiln";\n$',
    "content_hash": "b" * 64 + "-0",
    "energy": 1.0,
    "created_at": {"ZONED DATETIME": "2026-03-01T10:00:00.123456789Z"},
}
SESSION = {"id": "one", "space": "alice"}


def whole_file() -> bytes:
    """Return a small file that is as it should be."""
    file = io.BytesIO()
    writer = LineWriter(file)
    writer.header(HEADER)
    writer.node(["Session"], SESSION, {})
    writer.node(["Memory", "Semantic"], MEMORY, {"embedding": values.vector_to_json([0.5, -0.0])})
    times = {"at": {"ZONED DATETIME": ["2026-03-01T10:00:00Z", "2026-03-02T10:00:00Z"]}, "activation": 0.1}
    writer.relationship("ACCESSED_IN", ("Memory", "a" * 32), ("Session", "one"), times)
    writer.relationship("ACCESSED_IN", ("Memory", "a" * 32), ("Session", "one"), {"n": 2, "flags": [True]})
    writer.trailer()
    return file.getvalue()


def check(data: bytes) -> Checked:
    """Check a file."""
    return check_file(Source(io.BytesIO(data), "file"))


def signed(lines: list[bytes]) -> bytes:
    """Return the lines with a trailer that fits them, whatever they are: what somebody malicious would write."""
    file = io.BytesIO()
    writer = LineWriter(file)
    for line in lines:
        writer._checksum.update(line + b"\n")
        file.write(line + b"\n")
        if found := re.match(rb'{"(?:node": ?\["|relationship": ?")(\w+)"', line):
            counts = writer.counts.nodes if line.startswith(b'{"node') else writer.counts.relationships
            counts[found[1].decode()] += 1
    writer.trailer()
    return file.getvalue()


SCALARS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.booleans(),
    st.integers(values.SMALLEST, values.LARGEST),
    st.floats(),
)


def server_type(value: Any) -> str:
    """Return what the server's `valueType` says of a value."""
    names = {str: "STRING", bool: "BOOLEAN", int: "INTEGER", float: "FLOAT"}
    if isinstance(value, list):
        return f"LIST<{names[type(value[0])] if value else 'NOTHING'} NOT NULL> NOT NULL"
    return f"{names[type(value)]} NOT NULL"


def bits(value: Any) -> Any:
    """Return a value in a form in which only the same is equal: 0.0 is not -0.0, 1 not 1.0, NaN is NaN."""
    if isinstance(value, list):
        return [bits(each) for each in value]
    return struct.pack("<d", value) if isinstance(value, float) and not math.isnan(value) else repr(value)


@given(
    st.one_of(
        SCALARS,
        st.lists(st.integers(-5, 5)),
        st.lists(st.floats()),
        st.lists(st.text("aé\u2028", max_size=3)),
    )
)
def test_values_come_back_to_the_bit(value: Any) -> None:
    """Whatever a property holds, its line of JSON gives the same value of the same type."""
    line = json.dumps(values.to_json(server_type(value), value), ensure_ascii=False)
    read = values.from_json(json.loads(line))
    assert bits(read) == bits(value)
    assert json.dumps(as_json(read), ensure_ascii=False) == line


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20), st.booleans())
def test_vectors_come_back_to_the_bit(components: list[float], single: bool) -> None:  # noqa: FBT001
    """A vector's bytes give the same floats, and those that 32 bits hold take half the room."""
    if single:
        components = [struct.unpack("<f", struct.pack("<f", each % 1e6))[0] for each in components]
    written = values.vector_to_json(components)
    read = values.vector_from_json(json.loads(json.dumps(written)))
    assert read is not None
    assert bits(read.components) == bits(components)
    assert read.single or not single


@pytest.mark.parametrize(
    "value",
    [
        {"ZONED DATETIME": "2026-02-30T10:00:00Z"},
        {"ZONED DATETIME": "2026-03-01T10:00:00"},
        {"ZONED DATETIME": "2026-03-01T10:00:00Z[../../etc/passwd]"},
        {"ZONED DATETIME": "2026-03-01T10:00:00Z[Atlantis/Capital]"},
        {"ZONED DATETIME": "2026-03-01T10:00:00+19:00"},
        {"DATE": "2026-13-01"},
        {"DATE": ["2026-01-01", 3]},
        {"LOCAL TIME": "24:00:00"},
        {"DURATION": "P"},
        {"DURATION": "P1YT"},
        {"DURATION": "P" + "9" * 40 + "Y"},
        {"POINT": "0"},
        {"DATE": "2026-01-01", "TIME": "10:00"},
        {},
        None,
        [1, 2.0],
        [["nested"]],
        2**63,
        "\ud800",
    ],
    ids=repr,
)
def test_no_value_that_the_server_would_refuse(value: object) -> None:
    """What is no value of a property is found before anything is written."""
    with pytest.raises(InvalidInputError):
        values.from_json(value)


def test_a_whole_file_is_taken() -> None:
    """A file as an export writes it passes, packed or not, with its counts."""
    for data in (whole_file(), gzip.compress(whole_file())):
        checked = check(data)
        assert checked.header == HEADER
        assert checked.counts == Counts(
            nodes=checked.counts.nodes.__class__({"Session": 1, "Memory": 1}),
            relationships=checked.counts.relationships.__class__({"ACCESSED_IN": 2}),
        )


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.9, 0.999])
def test_a_cut_file_is_refused(share: float) -> None:
    """A file that ends too early is refused with the line at which it does, packed too."""
    data = whole_file()
    for cut in (data[: int(len(data) * share)], gzip.compress(data)[: int(len(gzip.compress(data)) * share)]):
        with pytest.raises(ImportFileError, match=r"cut off|is no JSON"):
            check(cut)


def test_what_is_missing_or_altered_is_told() -> None:
    """A line taken out is told by the count that it is missing from; one that was altered, by the checksum."""
    lines = whole_file().splitlines(keepends=True)
    with pytest.raises(ImportFileError, match="2 ACCESSED_IN were written and 1 are there"):
        check(b"".join(lines[:4] + lines[5:]))
    with pytest.raises(ImportFileError, match=r"altered.*SHA-256"):
        check(b"".join(lines).replace(b'"energy":1.0', b'"energy":9.0'))
    with pytest.raises(ImportFileError, match=r"file:7: there are lines behind the end"):
        check(b"".join([*lines, lines[1]]))


def node(labels: object, **properties: Any) -> bytes:
    """Return the line of a node."""
    return json.dumps({"node": labels, "properties": properties}).encode()


def link(type_: object, start: object, end: object) -> bytes:
    """Return the line of a relationship."""
    return json.dumps({"relationship": type_, "from": start, "to": end, "properties": {}}).encode()


MEMORY_LINE = node(["Memory", "Semantic"], **MEMORY)
HOSTILE = {
    "deep nesting": b"[" * 200_000,
    "deep objects": b'{"node":' * 100_000,
    "no JSON": b"{'node': 1}",
    "broken UTF-8": b'{"node":["Session"],"properties":{"id":"\xff","space":"alice"}}',
    "NaN": MEMORY_LINE.replace(b'"energy": 1.0', b'"energy": NaN'),
    "infinite": MEMORY_LINE.replace(b'"energy": 1.0', b'"energy": {"FLOAT": "inf"}'),
    "a number of a million digits": MEMORY_LINE.replace(b'"energy": 1.0', b'"energy": ' + b"9" * 1_000_000),
    "a text for a number": MEMORY_LINE.replace(b'"energy": 1.0', b'"energy": "1"'),
    "a date for a time": MEMORY_LINE.replace(b"ZONED DATETIME", b"DATE"),
    "no content": MEMORY_LINE.replace(b'"content"', b'"contents"'),
    "another kind": MEMORY_LINE.replace(b'["Memory", "Semantic"]', b'["Memory", "Episodic"]'),
    "label injection": node(["Memory`) DETACH DELETE (n"], **MEMORY),
    "a label of the schema": node(["EngramSchema"], id="engram", space="alice"),
    "no label": node([], id="1", space="alice"),
    "labels of a wrong type": node([["Memory"]], id="1", space="alice"),
    "another space": node(["Session"], id="1", space="bob"),
    "no space": node(["Session"], id="1"),
    "no id": node(["Session"], space="alice"),
    "a name with a backtick": node(["Session"], id="1", space="alice", **{"a`b": 1}),
    "a nested value": node(["Session"], id="1", space="alice", more={"a": {"b": "c"}}),
    "twice the same node": node(["Session"], **SESSION),
    "a strange name": json.dumps(
        {"node": ["Session"], "properties": {"id": "2", "space": "alice"}, "x": 1}
    ).encode(),
    "a vector of another length": json.dumps(
        {
            "node": ["Session"],
            "properties": {"id": "2", "space": "alice"},
            "vectors": {"embedding": values.vector_to_json([1.0])},
        }
    ).encode(),
    "a type that there is not": link("OWNS]-()-[", ["Session", "one"], ["Session", "one"]),
    "a missing node": link("PART_OF", ["Session", "one"], ["Session", "two"]),
    "an end that is no key": link("PART_OF", ["Session"], ["Session", "one"]),
    "neither node nor relationship": b'{"something": 1}',
    "not an object": b"[1, 2]",
    "an empty line": b"",
}


@pytest.mark.parametrize("line", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_line_is_refused_by_its_number(line: bytes) -> None:
    """Whatever a line holds, and though counts and checksum fit it, the error is Engram's and names the line."""
    lines = whole_file().splitlines()
    with pytest.raises(ImportFileError, match=r"^file:4: "):
        check(signed([*lines[:3], line]))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda header: header | {"version": 2}, "newer Engram"),
        (lambda header: header | {"schema": SCHEMA_VERSION + 1}, "newer Engram"),
        (lambda header: header | {"engram": "dump"}, "no export of Engram"),
        (lambda header: header | {"space": ""}, "no usable space"),
        (lambda header: header | {"dimensions": "2"}, "wrong type"),
        (lambda header: header | {"exported_at": "yesterday"}, "wrong time"),
        (lambda _: {"node": ["Session"]}, "no export of Engram"),
    ],
)
def test_another_header_is_refused(change: Callable[[dict[str, Any]], dict[str, Any]], said: str) -> None:
    """A file of a newer version, or of no Engram, is refused in its first line."""
    header, *others = whole_file().splitlines()
    with pytest.raises(ImportFileError, match=rf"^file:1: .*{said}"):
        check(signed([json.dumps(change(json.loads(header))).encode(), *others[:-1]]))


def test_length_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line or a file that is longer than allowed is given up while it is read, however small it is when packed."""
    monkeypatch.setattr(files, "LONGEST_LINE", 1_000)
    bomb = gzip.compress(whole_file()[:100] + b" " * 50_000_000)
    assert len(bomb) < 100_000
    with pytest.raises(
        ImportFileError, match=r"^file:1: the line is longer than 1,000 bytes.*Take another copy"
    ):
        check(bomb)
    many = gzip.compress(b"{}\n" * 1_000_000)
    with pytest.raises(ImportFileError, match="longer than 500 bytes, unpacked"):
        list(Source(io.BytesIO(many), "file", limit=500).lines())
    with pytest.raises(ImportFileError, match="stdin"), Source.open(io.BytesIO(many), limit=500):
        pass


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    """A file that is not there is told with what to name instead."""
    with (
        pytest.raises(ImportFileError, match=r"cannot be read.*Name a file of `engram export`"),
        Source.open(tmp_path / "none"),
    ):
        pass


def test_another_form_is_no_damaged_file(tmp_path: Path) -> None:
    """What is no JSONL at all is told as such, and not as a line that broke."""
    path = tmp_path / "alice.graphml"
    path.write_bytes(b'<?xml version="1.0"?>\n<graphml/>\n')
    with (
        pytest.raises(ImportFileError, match=r"no export in JSONL.*can be restored"),
        Source.open(path) as opened,
    ):
        check_file(opened)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="there is no folder here that nobody can write into")
def test_a_folder_that_takes_no_file_is_told() -> None:
    """Where nothing can be written, the folder and the reason are named, and no temporary file."""
    with (
        pytest.raises(InvalidInputError, match=r"written into /proc.*folder of your own"),
        written_whole(Path("/proc/a")),
    ):
        pass


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    """Only its owner can read the file; one that breaks in the middle leaves what was there before, and nothing else."""
    path = tmp_path / "alice.jsonl.gz"

    def write(data: bytes, *, fail: bool) -> None:
        with written_whole(path) as file:
            file.write(data)
            if fail:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(b"half", fail=True)
    assert list(tmp_path.iterdir()) == []
    write(b"first", fail=False)
    with pytest.raises(KeyboardInterrupt):
        write(b"half", fail=True)
    assert gzip.decompress(path.read_bytes()) == b"first"
    assert list(tmp_path.iterdir()) == [path]
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(InvalidInputError, match="is not a file"), written_whole(tmp_path):
        pass


def test_keys_are_known_again() -> None:
    """A set of keys knows all of its keys and no other, and finds the first that comes a second time."""
    keys = KeySet()
    for number in range(1_000):
        keys.add(("Session", str(number)))
    assert ("Session", "999") in keys
    assert ("Session", "1000") not in keys
    assert keys.first_double() is None
    keys.add(("Session", "7"))
    assert keys.first_double() == 1_000


def test_graphml_is_read_by_networkx() -> None:
    """Another program finds the nodes, the relationships and their properties, lists and times as text."""
    file = io.BytesIO()
    write_graphml(Source(io.BytesIO(whole_file()), "file"), file)
    file.seek(0)
    graph = nx.read_graphml(file, force_multigraph=True)
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (2, 2)
    memory = graph.nodes["n1"]
    assert memory["labels"] == ":Memory:Semantic"
    assert memory["content"] == MEMORY["content"]
    assert memory["energy"] == 1.0
    assert memory["created_at"] == "2026-03-01T10:00:00.123456789Z"
    edges = sorted((data for _, _, data in graph.edges(data=True)), key=len)
    assert [edge["label"] for edge in edges] == ["ACCESSED_IN"] * 2
    assert json.loads(edges[0]["at"]) == ["2026-03-01T10:00:00Z", "2026-03-02T10:00:00Z"]
    assert edges[1]["n"] == 2


def test_a_script_has_no_parameters_and_one_line_a_row() -> None:
    """No text can end a literal, a line or a statement."""
    file = io.BytesIO()
    write_script(Source(io.BytesIO(whole_file()), "file"), file)
    script = file.getvalue().decode()
    assert "$rows" not in script
    assert "`embed_due`: true" in script
    assert "`embedding`" not in script
    assert r"'Ada\'s <bees> & \\ \"kiln\";\n$'".replace(r"\"", '"') in script
    assert all(
        statement.startswith("CYPHER 25\n") for statement in script.rstrip().removesuffix(";").split(";\n")
    )


_NODES = re.compile(r"\(\w*:([A-Z]\w+)")
_RELATIONSHIPS = re.compile(r"\[\w*:([A-Z_|]+)")
NOT_A_SPACES = {"EngramSchema", "ExportedNode"}
"""Labels that no node of a space has: the database's own record, and what a script takes away again."""


def test_no_label_and_no_type_is_forgotten() -> None:
    """Every label and type of relationship that a statement names is exported; a new one must be added to the lists."""
    labels: set[str] = set()
    types: set[str] = set()
    for name in statements.names():
        text = statements.load(name).text
        code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
        labels.update(_NODES.findall(code))
        types.update(each for some in _RELATIONSHIPS.findall(code) for each in some.split("|"))
    assert {*KEYS} == labels - NOT_A_SPACES - KINDS
    assert types == TYPES


def test_keys_are_those_of_the_schema() -> None:
    """What tells nodes apart is what the schema holds to be unique, and what is unique in a database is known to be so."""
    for name in statements.names("schema"):
        code = statements.load(name).text
        found = re.search(r"FOR \((\w):(\w+)\)\s+REQUIRE \(?([^)]*?)\)? IS UNIQUE", code)
        if not found or found[2] in NOT_A_SPACES or name.endswith("memory_content_hash"):
            continue
        properties = tuple(part.strip().removeprefix(f"{found[1]}.") for part in found[3].split(","))
        assert KEYS[found[2]] == tuple(each for each in properties if each != "space"), name
        assert (found[2] in ACROSS_SPACES) == ("space" not in properties), name
    assert {*KEYS} > BY_CONTENT
