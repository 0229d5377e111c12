"""Codes of races and tournaments, as people type what they were told: forgivingly.

Pure. The browser takes a code in the same forms.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from typing import Final

from samedeal_rules import meant

__all__ = ["is_race_code", "joined", "race_code", "race_word"]

_PART: Final = re.compile(r"[2-9b-df-hjkmnp-tv-z]{4}", re.IGNORECASE | re.ASCII)
"""A third of a race's code. It holds no vowels, so that it is no word of the command's."""
_PARTS: Final = 3
_OF_RACE: Final = re.compile("-".join([f"({_PART.pattern})"] * _PARTS), re.ASCII)
_RUN_TOGETHER: Final = re.compile(f"({_PART.pattern})" * _PARTS, re.ASCII)
_OF_TOURNAMENT: Final = re.compile(r"([0-9a-z]+-)(f2?|t|[a-z][0-9]+(?:_[0-9]+)?)(-[0-9]+)")


def race_code(text: str) -> str:
    """A race's or tournament's code as the server writes it, from any way to type it.

    Small letters, but for the match of a tournament; hyphens for spaces, or for nothing.
    """
    code = "-".join(text.lower().split())
    if (run_together := _RUN_TOGETHER.fullmatch(code)) is not None:
        return "-".join(run_together.groups())
    of_tournament = _OF_TOURNAMENT.fullmatch(code)
    if of_tournament is None:
        return code
    tournament, match, number = of_tournament.groups()
    return f"{tournament}{match.upper()}{number}"


def is_race_code(code: str) -> bool:
    """Whether a code, as `race_code` returns it, looks like that of a race."""
    return (
        _OF_RACE.fullmatch(code) is not None or _OF_TOURNAMENT.fullmatch(code.lower()) is not None
    )


def race_word(text: str) -> str:
    """A race's code as an argument; whoever names a game there is told what they may have meant."""
    game = meant(text)
    if game is None:
        return race_code(text)
    raise argparse.ArgumentTypeError(
        f"{text[:40]!r} is a game and no race: did you mean --game {game.key}? "
        f"`samedeal play --game {game.key}` practises it, "
        f"`samedeal race new {game.key} --join` opens a race"
    )


def joined(words: Sequence[str]) -> list[str]:
    """The words of a command line, with a code that was typed with spaces as one of them."""
    return list(_joined(words))


def _joined(words: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(words):
        parts = words[at : at + _PARTS]
        if len(parts) == _PARTS and all(map(_PART.fullmatch, parts)):
            yield "-".join(parts)
            at += _PARTS
        else:
            yield words[at]
            at += 1
