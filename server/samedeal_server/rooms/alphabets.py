"""Names that could be read as somebody else's, as letters of several alphabets look alike.

A word keeps to one alphabet; those of East Asia go together, and with Latin (Unicode Technical
Standard 39, 5.2, "highly restrictive"). What that leaves are whole words in another alphabet, of
letters that all look like some of ours: their twins are known here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

__all__ = ["mixed_word", "twins"]

_TOGETHER: Final = frozenset("LATIN CJK IDEOGRAPHIC HIRAGANA KATAKANA HANGUL BOPOMOFO".split())
_LETTERS: Final = frozenset(("Lu", "Ll", "Lt", "Lo"))
_FROM: Final = (
    str.maketrans("АВСЕНІЈКМОРЅТХУасеіјорѕху", "ABCEHIJKMOPSTXYaceijopsxy"),  # noqa: RUF001
    str.maketrans("ΑΒΕΗΙΚΜΝΟΡΤΧΥΖον", "ABEHIKMNOPTXYZov"),  # noqa: RUF001
)
"""To Latin letters, from those of Cyrillic and of Greek that look like them."""
_TO: Final = tuple({latin: own for own, latin in table.items()} for table in _FROM)


def mixed_word(name: str) -> str | None:
    """Returns the first word with letters of alphabets that are not written together, or None."""
    for word in name.split():
        alphabets = {
            unicodedata.name(letter, "").split(" ")[0]
            for letter in word
            if unicodedata.category(letter) in _LETTERS
        }
        if len(alphabets) > 1 and not alphabets <= _TOGETHER:
            return word
    return None


def twins(name: str) -> Iterator[str]:
    """Yields names in other alphabets that look like this one, if there are any."""
    latin = name
    for table in _FROM:
        latin = _in_letters_of(latin, table)
    for twin in (latin, *(_in_letters_of(latin, table) for table in _TO)):
        if twin != name:
            yield twin


def _in_letters_of(name: str, table: dict[int, int]) -> str:
    """Returns a name with those words in other letters of which all letters have look-alikes."""
    return " ".join(
        word.translate(table)
        if all(ord(each) in table for each in word if each.isalpha())
        else word
        for word in name.split(" ")
    )
