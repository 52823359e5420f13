"""The reference of the graph: every statement from its head comment, the schema from its own statements."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engram import statements
from engram.records import Kind
from engram.schema import VERSION
from tests.docs.markdown import code, escaped, page, table
from tests.docs.words import LABELS, RELATIONSHIPS

_CYPHER = Path(__file__).parents[2] / "cypher" / "README.md"
_GROUP_ROW = re.compile(r"^\| `(\w+)` \| (.*) \|$", re.MULTILINE)
_KEY = re.compile(r"^(?:\$(?P<parameter>\w+)|(?P<word>returns|Returns|Running it twice)):\s*(?P<text>.*)$")
_MADE = re.compile(
    r"CREATE (?P<kind>CONSTRAINT|VECTOR INDEX|FULLTEXT INDEX|POINT INDEX|INDEX) (?P<name>\w+).*?"
    r"FOR \(?\(?\w*\)?-?\[?\w*:?(?P<label>\w+)[^\n]*?\s*(?:ON|REQUIRE)\s+(?:EACH\s+)?"
    r"(?P<properties>\([^)]*\)|\[[^\]]*\]|\w+\.\w+)(?P<rest>[^\n]*)",
    re.DOTALL,
)
_LABELS = re.compile(r"\(\s*\w*\s*((?::\s*\w+)+)")
_TYPES = re.compile(r"\[\s*\w*\s*:\s*([A-Z_|]+)")


@dataclass(slots=True)
class Head:
    """What a statement's head comment says."""

    text: str = ""
    parameters: dict[str, str] = field(default_factory=dict)
    returns: str = ""
    twice: str = ""


def head_of(statement: statements.Statement) -> Head:
    """Return the parts of a statement's head comment."""
    items: list[tuple[str, str]] = [("", "")]
    for line in _comment(statement.text):
        found = _KEY.match(line)
        if found:
            items.append((found["parameter"] or found["word"].lower(), found["text"]))
        else:
            key, text = items[-1]
            items[-1] = (key, f"{text} {line.strip()}".strip())
    head = Head()
    for key, text in items:
        match key:
            case "":
                head.text = text
            case "returns":
                head.returns = text
            case "running it twice":
                head.twice = text
            case _:
                head.parameters[key] = text
    return head


def _comment(text: str) -> Iterator[str]:
    """Yield the lines of the comment that follows the version."""
    for line in text.splitlines()[1:]:
        if not line.startswith("//"):
            return
        yield line.removeprefix("//").removeprefix(" ")


def statements_page() -> str:
    """Return `reference/statements.md`; what the groups are for is said in `cypher/README.md`."""
    purposes = dict(_GROUP_ROW.findall(_CYPHER.read_text(encoding="utf-8")))
    groups = sorted({name.partition("/")[0] for name in statements.names()} - {"schema"})
    return page(
        "Statements",
        "Everything that Engram asks of Neo4j, one statement a file: `cypher/GROUP/NAME.cypher`. Those that set the "
        "database up are in [The schema](schema.md).",
        *(part for group in groups for part in _group(group, purposes.get(group, ""))),
    )


def _group(group: str, purpose: str) -> Iterator[str]:
    yield f"## {group}"
    yield f"{purpose[:1].upper()}{purpose[1:]}." if purpose else ""
    for name in statements.names(group):
        head = head_of(statements.load(name))
        yield f"### {name}"
        yield escaped(head.text)
        yield table(
            ("parameter", "what it is"),
            ((code(f"${key}"), escaped(text)) for key, text in head.parameters.items()),
        )
        yield f"**Returns** {escaped(head.returns)}" if head.returns else ""
        yield f"**Run twice:** {escaped(head.twice)}" if head.twice else ""


def schema() -> str:
    """Return `reference/schema.md`."""
    labels, types = in_use()
    return page(
        "The schema",
        f"Schema version {VERSION}. Every node and relationship belongs to one `space`, or hangs from what does. Times are "
        "UTC. Nothing is deleted but by `engram forget --erase`: what fades, is superseded or archived stays, in a state. "
        "`engram schema show` prints what a database has.",
        "## Labels",
        table(
            ("label", "what it is"), ((code(f":{each}"), escaped(LABELS.get(each, ""))) for each in labels)
        ),
        "## Relationships",
        table(
            ("relationship", "from, to", "what it says"),
            ((code(each), *_ends(each)) for each in types),
        ),
        "## Constraints and indexes",
        "In the order in which they are applied. All of them work on the free Community edition.",
        table(("name", "kind", "on", "why"), map(_made, statements.names("schema"))),
    )


def _ends(type_: str) -> tuple[str, str]:
    ends, text = RELATIONSHIPS.get(type_, ("", ""))
    return code(ends), escaped(text)


def in_use() -> tuple[Sequence[str], Sequence[str]]:
    """Return all labels and all types of relationships that the statements name, in order."""
    labels, types = {kind.label for kind in Kind}, set[str]()
    for name in statements.names():
        text = statements.load(name).text
        lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
        labels.update(label for found in _LABELS.finditer(lines) for label in re.findall(r"\w+", found[1]))
        types.update(each for found in _TYPES.finditer(lines) for each in found[1].split("|"))
    return sorted(labels), sorted(types)


def _made(name: str) -> tuple[str, str, str, str]:
    """Return the row of one schema statement."""
    statement = statements.load(name)
    why = escaped(head_of(statement).text.partition(". ")[0].rstrip(".") + ".")
    found = _MADE.search(statement.text)
    if found is None:
        return code(name.partition("/")[2]), "", "", why
    kind = (
        "unique"
        if "UNIQUE" in found["rest"]
        else found["kind"].lower().replace("index", "").strip() or "range"
    )
    properties = ", ".join(re.findall(r"\.(\w+)", found["properties"]))
    return code(found["name"]), kind, code(f"{found['label']}({properties})"), why
