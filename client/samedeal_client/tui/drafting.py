"""The terms of a new race as a form: its fields, presets, and the command that says the same.

Pure. The form is read by the command line's own parser, so that both take and refuse the same.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from samedeal_client.cli.command import parser
from samedeal_client.cli.parts import Fault
from samedeal_client.cli.races import terms_of
from samedeal_client.tui.fields import SWITCH, Field, Presets, flags
from samedeal_protocol.terms import Terms

__all__ = ["FIELDS", "PRESETS", "Draft", "draft", "words"]


FIELDS: Final = (
    Field("seed", "seed", "--seed", meaning="words that make the deal; empty: by chance"),
    Field(
        "mode",
        "clock",
        "--async",
        choices=(("live: one start for all", ""), ("async: each starts their own", "yes")),
    ),
    Field("start", "start", "--start", "all-ready", meaning="all-ready, host, +5min or a time"),
    Field("countdown", "countdown", "--countdown", "5s"),
    Field("limit", "time limit", "--limit", "1h", meaning="or none"),
    Field("closes", "closes after", "--closes", "1d", meaning="of an async race"),
    Field("punctual", "closes punctually", "--punctual", choices=SWITCH,
          meaning="not before, though all are done"),
    Field("min", "entrants at least", "--min", "2"),
    Field("max", "entrants at most", "--max", "8"),
    Field(
        "undo",
        "undo",
        "--undo",
        "not-past-a-reveal",
        (
            ("not past a card that turned up", "not-past-a-reveal"),
            ("free", "free"),
            ("none", "none"),
            ("costs time", "penalty"),
        ),
    ),
    Field("undo-penalty", "an undo costs", "--undo-penalty", "5s", meaning="where it costs time"),
    Field("unlisted", "unlisted", "--unlisted", choices=SWITCH, meaning="only its code lets in"),
    Field("phrase", "pass phrase", "--phrase", meaning="empty: none"),
    Field(
        "spectators",
        "spectators see",
        "--spectators",
        "boards",
        (("boards", "boards"), ("progress", "progress"), ("nothing", "none")),
    ),
    Field("delay", "spectators' delay", "--delay", "0s"),
    Field("blind", "blind", "--blind", choices=SWITCH, meaning="rivals hidden until you are done"),
    Field("hints", "hints", "--hints", choices=SWITCH, meaning="moves worth trying, when asked"),
    Field("rated", "rated", "--rated", choices=SWITCH, meaning="counts for ratings"),
    Field("no-bots", "people only", "--no-bots", choices=SWITCH),
    Field("grace", "time to come back", "--grace", "5min", meaning="or none"),
)  # fmt: skip
"""Every term that a race can have, but its game."""

PRESETS: Final[Presets] = (
    ("quick race: all start together", {}),
    ("fair and square: rated, people only", {"rated": "yes", "no-bots": "yes"}),
    ("take your time: a day, each on their own clock",
     {"mode": "yes", "spectators": "progress", "blind": "yes"}),
    ("blind: nobody sees the others", {"blind": "yes"}),
    ("just friends: its link lets in, you start it",
     {"unlisted": "yes", "start": "host", "no-bots": "yes"}),
    ("relaxed: undo and hints", {"undo": "free", "hints": "yes", "limit": "2h"}),
    ("alone against the clock", {"min": "1", "max": "1", "unlisted": "yes"}),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Draft:
    """Terms that hold together, and what travels beside them."""

    terms: Terms
    seed: str | None
    phrase: str | None


@lru_cache(1)
def _parser() -> ArgumentParser:
    return parser("race")


def words(game: str, values: Mapping[str, str]) -> list[str]:
    """Returns the words of the command that opens such a race, behind `samedeal`."""
    return ["race", "new", game, *flags(FIELDS, values)]


def draft(game: str, values: Mapping[str, str], *, now: int) -> Draft:
    """Returns the terms that the form says. Raises `cli.parts.Fault` where they do not hold.

    `now` is milliseconds of UTC.
    """
    try:
        arguments = _parser().parse_args(words(game, values))
        return Draft(terms_of(arguments, now=now), arguments.seed, arguments.phrase)
    except Fault as fault:
        raise Fault(str(fault).partition("; see `")[0]) from fault
