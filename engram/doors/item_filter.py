"""Filters over the values of items: equality, `$eq $ne $gt $gte $lt $lte`, nested objects and dotted keys."""

import operator
from collections.abc import Callable, Mapping
from typing import Any

from engram.errors import InvalidInputError

_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def matches(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Say whether a value has all that a filter wants.

    A key that the value lacks is looked up as a path with dots, e.g. `user.name`. What is missing equals None, and is
    neither greater nor less than anything; so is what cannot be compared, such as a text and a number.

    Raises:
        InvalidInputError: The filter has an operator that there is not.
    """
    return all(_fits(_field(value, key), condition) for key, condition in wanted.items())


def _field(value: Mapping[str, Any], key: str) -> Any:
    if key in value or "." not in key:
        return value.get(key)
    found: Any = value
    for label in key.split("."):
        found = found.get(label) if isinstance(found, Mapping) else None
    return found


def _fits(found: Any, condition: Any) -> bool:
    if isinstance(condition, Mapping):
        if any(str(name).startswith("$") for name in condition):
            return all(_compare(found, name, bound) for name, bound in condition.items())
        return isinstance(found, Mapping) and all(
            _fits(found.get(name), each) for name, each in condition.items()
        )
    if isinstance(condition, list | tuple):
        return (
            isinstance(found, list)
            and len(found) == len(condition)
            and all(_fits(one, other) for one, other in zip(found, condition, strict=True))
        )
    return bool(found == condition)


def _compare(found: Any, name: str, bound: Any) -> bool:
    if name == "$eq":
        return _fits(found, bound)
    if name == "$ne":
        return not _fits(found, bound)
    if name not in _ORDER:
        raise InvalidInputError(
            f"There is no filter operator {name!r}.", remedy=f"Operators: $eq, $ne, {', '.join(_ORDER)}."
        )
    try:
        return bool(_ORDER[name](found, bound))
    except TypeError:
        return False
