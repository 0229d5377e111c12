"""The terms of a new tournament as a form: its fields, presets, and the command that says the same.

Pure. As with races, the form is read by the command line's own parser.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from samedeal_client.cli.announcing import plan_of
from samedeal_client.cli.command import parser
from samedeal_client.cli.parts import Fault
from samedeal_client.cups.telling import FORMAT_WORDS
from samedeal_client.tui.fields import SWITCH, Field, Presets, flags
from samedeal_protocol.tournament.terms import TournamentTerms

__all__ = ["FIELDS", "PRESETS", "CupDraft", "draft", "words"]

FIELDS: Final = (
    Field("title", "title", "--title", meaning="empty: its format and the day"),
    Field("format", "format", "--format",
          choices=tuple((words, key) for key, words in FORMAT_WORDS.items())),
    Field("games", "more games", "--game", meaning="their keys, with spaces between",
          is_many=True),
    Field("rounds", "rounds", "--rounds", meaning="of Swiss and heats; empty: 5"),
    Field("best-of", "races of a match", "--best-of", meaning="best of so many; empty: 1"),
    Field("cap", "players at most", "--cap", meaning="empty: 512"),
    Field("starts", "starts", "--starts", meaning="empty: when you say so; +10m, or a time"),
    Field("check-in", "check-in", "--check-in", meaning="so long before that time; empty: none"),
    Field("no-show", "time to be there", "--no-show", meaning="else a race is lost; empty: 5m"),
    Field("limit", "time limit", "--limit", meaning="of a race; empty: 1h"),
    Field("bell", "bell", "--bell", meaning="ends a ladder so long after its start; empty: 1h"),
    Field("by-hand", "rounds by hand", "--by-hand", choices=SWITCH,
          meaning="each is paired when you say so"),
    Field("unlisted", "unlisted", "--unlisted", choices=SWITCH, meaning="only its code finds it"),
    Field("phrase", "pass phrase", "--phrase", meaning="to register; empty: none"),
    Field("no-bots", "people only", "--no-bots", choices=SWITCH),
    Field("set", "anything else", "--set", meaning="KEY=VALUE ..., as in a plan", is_many=True),
)  # fmt: skip
"""What the command takes, but for its plan in a file."""

PRESETS: Final[Presets] = (
    ("evening Swiss: five rounds for all",
     {"format": "swiss", "rounds": "5", "no-show": "3m", "limit": "20m", "set": "late_until=2"}),
    ("cup: who loses is out",
     {"format": "single-elimination", "limit": "30m",
      "set": "single-elimination.third_place=true single-elimination.lengths.final.best_of=3"}),
    ("league of heats: points for places",
     {"format": "heats", "rounds": "4", "no-show": "3m", "limit": "15m", "set": "late_until=2"}),
    ("arena: come and go for an hour",
     {"format": "ladder", "bell": "1h", "no-show": "1m", "limit": "10m",
      "set": "late_joins=true ladder.length.replays=0 race.countdown=3s"}),
    ("two lives: who loses twice is out", {"format": "double-elimination", "limit": "20m"}),
    ("the club's league: a week a round",
     {"format": "round-robin", "by-hand": "yes",
      "set": "round-robin.times=2 race.mode=async race.closes=7d"}),
)  # fmt: skip
"""The browser's."""


@dataclass(frozen=True, slots=True)
class CupDraft:
    """Terms that hold together, and the pass phrase that lets register."""

    terms: TournamentTerms
    phrase: str | None


@lru_cache(1)
def _parser() -> ArgumentParser:
    return parser("tournament")


def words(game: str, values: Mapping[str, str]) -> list[str]:
    """Returns the words of the command that announces such a tournament, behind `samedeal`."""
    return ["tournament", "new", "--game", game, *flags(FIELDS, values)]


def draft(game: str, values: Mapping[str, str], *, now: int) -> CupDraft:
    """Returns the terms that the form says. Raises `cli.parts.Fault` where they do not hold.

    `now` is milliseconds of UTC.
    """
    try:
        arguments = _parser().parse_args(words(game, values))
        return CupDraft(plan_of(arguments, now=now), arguments.phrase)
    except Fault as fault:
        raise Fault(str(fault).partition("; see `")[0]) from fault
