"""The rules that keep the tree as a newcomer expects it."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from engram import statements

ROOT = Path(__file__).parents[2]
PYTHON = [path for folder in ("engram", "cli", "jobs") for path in (ROOT / folder).rglob("*.py")]
CYPHER = sorted((ROOT / "cypher").rglob("*.cypher"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

_CYPHER_CLAUSE = re.compile(r"\b(MATCH|MERGE|CREATE|UNWIND|OPTIONAL MATCH)\s*\(")
_WRITES = re.compile(r"\b(MERGE|CREATE|SET|DELETE|REMOVE)\b|setNodeVectorProperty")


def code_of(statement: statements.Statement) -> str:
    """Return a statement without its comments."""
    return "\n".join(line for line in statement.text.splitlines() if not line.lstrip().startswith("//"))


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_cypher_in_python_strings(path: Path) -> None:
    """Cypher stands in .cypher files only."""
    strings = [
        node.value
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert not [text for text in strings if _CYPHER_CLAUSE.search(text)]


@pytest.mark.parametrize("path", CYPHER, ids=lambda path: str(path.relative_to(ROOT)))
def test_statement_head(path: Path) -> None:
    """Each file has its version, a sentence, exactly the parameters it uses, and what a second run does."""
    statement = statements.load(f"{path.parent.name}/{path.stem}")
    lines = statement.text.splitlines()
    assert lines[0] == "CYPHER 25"
    assert lines[1].startswith("// ")
    assert lines[1][3].isupper()
    assert statement.declared == statement.used
    code = code_of(statement)
    assert ";" not in code
    if _WRITES.search(code):
        assert "Running it twice:" in statement.head
    elif path.parent.name != "schema" and "RETURN" in code and "draw" not in path.stem:
        assert "returns:" in statement.head


def test_package_list_matches_the_folders() -> None:
    """Every folder with code or statements is in the package list, and nothing else is."""
    packages = set()
    for top in ("engram", "cli", "jobs", "cypher"):
        prefix = "engram" if top == "engram" else f"engram.{top}"
        for folder in [ROOT / top, *(ROOT / top).rglob("*")]:
            if folder.is_dir() and any(folder.glob("*.py")) | any(folder.glob("*.cypher")):
                parts = folder.relative_to(ROOT / top).parts
                packages.add(".".join((prefix, *parts)))
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == packages


def test_one_package_talks_to_the_driver() -> None:
    """Only engram/graph/ imports neo4j, and only engram/statements.py opens .cypher files."""
    drivers = {
        path.relative_to(ROOT).parent.as_posix()
        for path in PYTHON
        if re.search(r"^\s*(import|from) neo4j\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert drivers == {"engram/graph"}


def test_library_imports_neither_cli_nor_jobs() -> None:
    """Imports go down only."""
    for path in (ROOT / "engram").rglob("*.py"):
        assert not re.search(r"(import|from) engram\.(cli|jobs)\b", path.read_text(encoding="utf-8")), path


def test_every_test_states_its_rule() -> None:
    """Each test function has a docstring."""
    silent = [
        f"{path.name}:{node.name}"
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and not ast.get_docstring(node)
    ]
    assert not silent


def test_unknown_statement_names_near_ones() -> None:
    """A misspelt statement is answered with the names that are near."""
    with pytest.raises(KeyError, match="recall/find_candidates"):
        statements.load("recall/find_candidate")
