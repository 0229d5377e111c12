"""What is wrong with a value, as people say it: what msgspec refuses, and the bounds of numbers.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from msgspec import inspect

__all__ = ["bounds_text", "fault_text", "faulty"]

Bounded = inspect.IntType | inspect.FloatType

_KINDS: Final = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}
_BOUND: Final = re.compile("[<>]= ")
_SAID: Final[Sequence[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]]] = (
    (re.compile(r"Expected `(?:int|float)` >= ([\d.]+)"), r"at least \1"),
    (re.compile(r"Expected `(?:int|float)` <= ([\d.]+)"), r"at most \1"),
    (re.compile(r"Expected `str` of length <= (\d+)"), r"at most \1 characters"),
    (re.compile(r"Expected `str` of length >= 1"), "it is empty"),
    (re.compile(r"Expected `str` of length >= (\d+)"), r"at least \1 characters"),
    (re.compile(r"Expected `str` matching regex .*"), "it is not written in the form for it"),
    (re.compile(r"Expected `array` of length <= (\d+)"), r"at most \1 of them"),
    (re.compile(r"Object missing required field `(\w+)`"), r"\1 is missing"),
    (re.compile(r"Invalid enum value '(.*)'"), r"'\1' is none of its words"),
    (
        re.compile(r"Expected `(\w+)(?: \| null)?`, got `(\w+)`"),
        lambda found: f"wanted is {_kind(found[1])}, not {_kind(found[2])}",
    ),
)


def fault_text(fault: str, kind: object = None) -> str:
    """Returns what msgspec says is wrong, with where: `limit: from 1 to 100`.

    `kind` is the struct that was to be read, if it is known: then both bounds of a number are told.
    """
    path, said = faulty(fault, kind)
    return f"{path}: {said}" if path else said


def faulty(
    fault: str, kind: object = None, *, said: Callable[[str, int | float], str] | None = None
) -> tuple[str, str]:
    """Returns where and what; the path is empty for the whole: `("limit", "from 10 s to 7 d")`.

    `said` writes a number that stands at a path, such as one of seconds.
    """
    what, _, path = fault.partition(" - at `$")
    path = re.sub(r"\[\.\.\.\]|\[\d+\]", "", path.rstrip("`")).removeprefix(".")
    found = _at(kind, path) if kind is not None and _BOUND.search(what) else None
    if isinstance(found, Bounded):
        return path, bounds_text(found, str if said is None else partial(said, path))
    for pattern, words in _SAID:
        what = pattern.sub(words, what)
    return path, what


def bounds_text(kind: Bounded, said: Callable[[int | float], str] = str) -> str:
    """Returns the bounds of a number, each as `said` writes it: `from 1 to 100`, `at least 0`."""
    low, high = kind.ge, kind.le
    if low is None or high is None:
        return f"at least {said(low)}" if low is not None else f"at most {said(high or 0)}"
    return f"from {said(low)} to {said(high)}"


def _kind(name: str) -> str:
    return _KINDS.get(name, name)


def _at(kind: object, path: str) -> inspect.Type | None:
    """The type of the field at a path, if the way there is plain."""
    found: inspect.Type | None = inspect.type_info(kind)
    for key in path.split("."):
        found = _plain(found)
        fields = found.fields if isinstance(found, inspect.StructType) else ()
        found = next((field.type for field in fields if field.encode_name == key), None)
    return _plain(found)


def _plain(kind: inspect.Type | None) -> inspect.Type | None:
    """The type without null, or of what is in a list; None where it may be one of several."""
    match kind:
        case inspect.UnionType():
            others = [each for each in kind.types if not isinstance(each, inspect.NoneType)]
            return _plain(others[0]) if len(others) == 1 else None
        case inspect.VarTupleType():
            return _plain(kind.item_type)
        case _:
            return kind
