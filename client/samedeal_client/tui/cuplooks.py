"""What can be looked at in a tournament, by which key, and under which name in each format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from samedeal_protocol.tournament.formats import Format, Heats, Ladder, RoundRobin, Swiss

__all__ = ["looks"]

_LOOKS: Final = (
    ("b", "bracket", "bracket", "the bracket"),
    ("m", "matches", "matches", "what is being played"),
    ("s", "table", "standings", "the standings"),
    ("p", "players", "players", "who is in it"),
    ("i", "terms", "terms", "its terms"),
)
"""Key, the word that is looked at, label and meaning."""


def looks(format: Format) -> Iterator[tuple[str, str, str, str]]:
    """Yields key, word, label and meaning; what takes a bracket's place is called what it is."""
    for key, word, label, meaning in _LOOKS:
        match format:
            case Swiss() | RoundRobin() if word == "bracket":
                yield key, word, "table", "who met whom, and what is being played"
            case Heats() if word == "bracket":
                yield key, word, "heats", "the heats, round by round"
            case Ladder() if word == "bracket":
                yield key, word, "pairs", "the standing, and who races whom"
            case _:
                yield key, word, label, meaning
