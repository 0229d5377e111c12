"""At which line of a host's TOML a fault is, by the key that its sentence begins with. Pure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from typing import Final

__all__ = ["has_key", "key_of", "line_of"]

_KEY: Final = re.compile(r"([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)(?::| is )")


def key_of(sentence: str) -> str | None:
    """Returns the dotted key that a sentence about a plan begins with, if with any."""
    found = _KEY.match(sentence)
    return None if found is None else found[1]


def line_of(text: str, key: str) -> int | None:
    """Returns the line (1 is the first) of a TOML document at which a key begins, if anywhere."""
    path = key.split(".")
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if path[-1] not in line or _has(lines[:number], path) is not False:
            continue
        # A value may be of several lines, none of which but the last ends a document.
        ends = (_has(lines[:end], path) for end in range(number + 1, len(lines) + 1))
        if next((found for found in ends if found is not None), False):
            return number + 1
    return None


def has_key(table: object, path: Sequence[str]) -> bool:
    """Returns whether a table, or one in it, has a key, which is given word by word."""
    for key in path:
        if not isinstance(table, dict) or key not in table:
            return False
        table = table[key]
    return True


def _has(lines: Sequence[str], path: Sequence[str]) -> bool | None:
    """Whether a document has a key; None for what is no whole document."""
    try:
        return has_key(tomllib.loads("".join(lines)), path)
    except tomllib.TOMLDecodeError:
        return None
