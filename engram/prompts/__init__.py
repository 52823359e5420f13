"""What models are told: one text file per prompt, with its parameters declared at its head."""

import re
from functools import cache
from importlib.resources import files
from string import Template

_DECLARED = re.compile(r"^# \$(\w+): \S", re.MULTILINE)


@cache
def _load(name: str) -> tuple[Template, frozenset[str]]:
    text = files(__package__).joinpath(f"{name}.txt").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    head = [line for line in lines if line.startswith("#")]
    body = "".join(line for line in lines if not line.startswith("#")).strip()
    return Template(body), frozenset(_DECLARED.findall("".join(head)))


def parameters(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the parameters that the prompt `name` declares at its head, and those that it uses."""
    template, declared = _load(name)
    return declared, frozenset(template.get_identifiers())


def fill(name: str, **values: str) -> str:
    """Return the prompt `name` with its parameters filled in; a `$` inside a value stays as it is.

    Raises:
        KeyError: A parameter has no value.
    """
    return _load(name)[0].substitute(values)
