"""The library's reference, from its sources: what they say, and nothing of what an import makes of them."""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.docs.markdown import code, docstring, page, table

ENGRAM = Path(__file__).parents[2] / "engram"
MODULES = {
    "memory": ("Engram",),
    "records": (),
    "beliefs/front": ("Beliefs",),
    "loop/agent": ("Agent",),
    "goals/keeping": ("Goals",),
    "doors/asynchronous": ("AsyncEngram",),
    "doors/langgraph_store": ("EngramStore",),
    "testing": (),
}
"""Modules that programs are written against, and which of their names; none stands for all that are public."""
_LONG = 88
"""A signature that is longer has a line for each parameter."""

Callable = ast.FunctionDef | ast.AsyncFunctionDef


def python_api() -> str:
    """Return `reference/python-api.md`."""
    return page(
        "The Python interface",
        "`from engram import Engram, Turn` is all that most programs need. Everything is typed, safe to share between "
        "threads where it says so, and raises what is listed in [Errors](errors.md). [Settings](settings.md) have a page "
        "of their own. A name with an underscore in front is not part of the interface.",
        *(part for path, names in MODULES.items() for part in _module(path, names)),
    )


def _module(path: str, names: Sequence[str]) -> Iterator[str]:
    tree = ast.parse((ENGRAM / f"{path}.py").read_text(encoding="utf-8"))
    yield f"## engram.{path.replace('/', '.')}"
    yield docstring(ast.get_docstring(tree))
    for node in tree.body:
        if not isinstance(node, ast.ClassDef | Callable) or not _public(node, names):
            continue
        yield from _class(node) if isinstance(node, ast.ClassDef) else _function(node, "", "###")


def _public(node: ast.ClassDef | Callable, names: Sequence[str]) -> bool:
    return node.name in names if names else not node.name.startswith("_")


def _class(node: ast.ClassDef) -> Iterator[str]:
    yield f"### {node.name}"
    yield docstring(ast.get_docstring(node))
    yield table(("field", "type", "default", "what it is"), _fields(node))
    for member in node.body:
        if isinstance(member, Callable) and not member.name.startswith("_"):
            yield from _function(member, f"{node.name}.", "####")


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, str, str, str]]:
    """Yield the fields of a data class and the values of an enumeration, each with the string that follows it."""
    for member, after in zip(node.body, [*node.body[1:], None], strict=True):
        said = after.value if isinstance(after, ast.Expr) else None
        text = said.value if isinstance(said, ast.Constant) and isinstance(said.value, str) else ""
        match member:
            case ast.AnnAssign(target=ast.Name(id=name)) if not name.startswith("_"):
                default = ast.unparse(member.value) if member.value else ""
                yield (
                    code(name),
                    code(ast.unparse(member.annotation)),
                    code(_plain(default)),
                    docstring(text),
                )
            case ast.Assign(targets=[ast.Name(id=name)]) if name.isupper():
                yield (code(name), "", code(ast.unparse(member.value)), docstring(text))


def _plain(default: str) -> str:
    return "" if default.startswith("field(") else default


def _function(node: Callable, owner: str, level: str) -> Iterator[str]:
    decorators = {ast.unparse(each).rpartition(".")[2] for each in node.decorator_list}
    yield f"{level} {owner}{node.name}"
    if decorators & {"property", "cached_property"}:
        yield f"A property: `{ast.unparse(node.returns) if node.returns else ''}`."
    else:
        yield f"```python\n{_signature(node, bound=bool(owner) and 'staticmethod' not in decorators)}\n```"
    yield docstring(ast.get_docstring(node))


def _signature(node: Callable, *, bound: bool) -> str:
    parameters = list(_parameters(node.args))[1 if bound else 0 :]
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    whole = f"{node.name}({', '.join(parameters)}){returns}"
    if len(whole) <= _LONG:
        return whole
    lines = "".join(f"    {each},\n" for each in parameters)
    return f"{node.name}(\n{lines}){returns}"


def _parameters(arguments: ast.arguments) -> Iterator[str]:
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    for place, (each, default) in enumerate(zip(positional, defaults, strict=True), 1):
        yield _parameter(each, default)
        if place == len(arguments.posonlyargs):
            yield "/"
    if arguments.vararg:
        yield f"*{_parameter(arguments.vararg, None)}"
    elif arguments.kwonlyargs:
        yield "*"
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(each, default)
    if arguments.kwarg:
        yield f"**{_parameter(arguments.kwarg, None)}"


def _parameter(argument: ast.arg, default: ast.expr | None) -> str:
    annotated = argument.arg + (f": {ast.unparse(argument.annotation)}" if argument.annotation else "")
    if default is None:
        return annotated
    return f"{annotated}{' = ' if argument.annotation else '='}{ast.unparse(default)}"
