"""What can be done on a screen: by which keys, under which word. One table makes the key bar, the
help and what typed words mean."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from samedeal_client.telling import cells

__all__ = ["Deed", "Entry", "bars", "called", "help_lines"]

_NAMES: Final = {
    "question_mark": "?",
    "space": "Space",
    "enter": "Enter",
    "escape": "Esc",
    "colon": ":",
    "left": "Left",
    "right": "Right",
    "plus": "+",
    "minus": "-",
}

_CHARACTERS: Final = ("question_mark", "colon", "plus", "minus", "equals_sign")


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that can be done now."""

    keys: tuple[str, ...]
    """As Textual names them, a single character first; function keys always work."""
    label: str
    """One or two words for the key bar."""
    run: Callable[[], Awaitable[None] | None]
    meaning: str = ""
    """A line for the help."""
    word: str = ""
    """The word of the line client that means the same."""
    is_minor: bool = False
    """It is left out of the key bar."""
    is_vital: bool = False
    """It stands in the key bar before anything else gets room there."""


def key_name(key: str) -> str:
    """How a key is called: `?`, `F2`, `Esc`."""
    return _NAMES.get(key) or (key.upper() if len(key) > 1 and key[0] == "f" else key)


def _works(key: str, *, shortcuts: bool) -> bool:
    """Whether the key does something: a single character does only where shortcuts are on."""
    return shortcuts or (len(key) > 1 and key not in _CHARACTERS)


def _shown(deed: Deed, *, shortcuts: bool) -> str | None:
    keys = [key for key in deed.keys if _works(key, shortcuts=shortcuts)]
    return key_name(keys[0]) if keys else None


def called(deeds: Iterable[Deed], key: str, *, shortcuts: bool) -> Deed | None:
    """Returns what a key means."""
    if not _works(key, shortcuts=shortcuts):
        return None
    return next((deed for deed in deeds if key in deed.keys), None)


Entry: TypeAlias = tuple[str, str, Deed]
"""A key, the label beside it, and what it does."""


def bars(deeds: Sequence[Deed], width: int, lines: int, *, shortcuts: bool) -> list[list[Entry]]:
    """Returns what a bar of so many lines has room for; the last line keeps room for the vital.

    Where one line is enough, it is the last.
    """
    wanted: list[Entry] = []
    for deed in deeds:
        key = None if deed.is_minor else _shown(deed, shortcuts=shortcuts)
        if key is not None:
            wanted.append((key, deed.label, deed))
    if lines > 1 and sum(map(_width, wanted)) <= width + 2:
        return [*[[] for _ in range(lines - 1)], *bars(deeds, width, 1, shortcuts=shortcuts)]
    vital = sum(_width(each) for each in wanted if each[2].is_vital)
    rooms = [width + 2] * (lines - 1) + [width + 2 - vital]
    shown: list[list[Entry]] = [[] for _ in rooms]
    line = 0
    for each in wanted:
        if each[2].is_vital:
            shown[-1].append(each)
            continue
        while line < lines - 1 and rooms[line] < _width(each):
            line += 1
        rooms[line] -= _width(each)
        if rooms[line] >= 0:
            shown[line].append(each)
    return shown


def _width(entry: Entry) -> int:
    key, label, _ = entry
    return cells(key) + 1 + cells(label) + 2


def help_lines(deeds: Sequence[Deed], *, shortcuts: bool) -> list[str]:
    """Lists the keys and what they do."""
    rows = []
    for deed in deeds:
        keys = [key_name(key) for key in deed.keys if _works(key, shortcuts=shortcuts)]
        if keys:
            rows.append((" ".join(keys), deed.meaning or deed.label))
    width = max((cells(keys) for keys, _ in rows), default=0)
    return [f"{keys:{width}}  {meaning}" for keys, meaning in rows]
