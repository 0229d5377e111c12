"""Plans to begin with, one for each format: TOML with a word on everything that can be set."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = ["FORMATS", "template"]

_HEAD: Final = """\
# A tournament for `samedeal tournament new FILE.toml`. Behind a # stands what can be set besides:
# it shows what holds without them, or an example. Durations: "90s", "5m", "2h", "1d".

name = "Friday cup"
# about = "What players should know."
format = "{format}"
game = "forty-thieves"              # `samedeal games` lists them
# games = ["forty-thieves", "opus"] # instead, for several
# choice = "rotate"                 # several games: one after the other, or "pick" by the players
# pick = "60s"                      # how long a player may take to pick

# registration = "open"             # or "invitation", or "phrase" (give it with --phrase)
# visibility = "public"             # or "unlisted": whoever has the code finds it
# cap = 512                         # the most who play; who comes later is on the waiting list
# least = 2                         # with fewer at the start it is called off
# seeding = "registration"          # or "lots", or "rating"

# starts = {starts}   # without it, the host starts it
# check_in = "30m"                  # how long before the start players check in
no_show = "5m"                      # to be ready for a race; who is not has lost it
# rounds_by_hand = false            # true: the host has every round paired
# between = "0s"                    # between two rounds, at least
"""

_RACE: Final = """\

[race]                              # the terms of every race
limit = "1h"                        # the longest that a race may take
# countdown = "5s"
# undo = "not-past-a-reveal"        # or "free", "none", "penalty" (undo_penalty = "5s")
# spectators = "boards"             # or "progress", "none"
# delay = "0s"                      # how far spectators are behind
# blind = false                     # true: rivals' progress is hidden
# hints = false
# bots = true                       # false: people only
# rated = false

# [repeat]                          # once more and again; needs `starts`, the first one's instant
# zone = "Europe/Berlin"
# every = "week"                    # or "day", "month"
# weekdays = ["friday"]
# at = "19:30"
"""

_LENGTH: Final = """\
# length = { best_of = 1, replays = 3 }  # races of a match; drawn ones are played again so often
"""
_LENGTHS: Final = """\
# lengths = { final = { best_of = 5 }, semi-final = { best_of = 3 } }  # replays as in length
# bracket = ["Ada", "Bo", "Cy", ""]  # who stands where, by name; "" for a bye
"""
_POINTS: Final = """\
# points = { win = 1, draw = 0.5, loss = 0, bye = 1 }
"""

_OPTIONS: Final = {
    "single-elimination": f"""
[single-elimination]
third_place = true                  # the losers of the semi-finals play for it
{_LENGTH}{_LENGTHS}""",
    "double-elimination": f"""
[double-elimination]
reset = true                        # the final is played again if it is its winner's first
{_LENGTH}{_LENGTHS}""",
    "round-robin": f"""
[round-robin]
times = 1                           # or 2: everybody meets everybody twice
{_LENGTH}{_POINTS}# tie_breaks = ["head-to-head", "sonneborn-berger"]
""",
    "swiss": f"""\
# late_until = 0                    # the last round before which newcomers are let in

[swiss]
rounds = 5
# order = "seeds"                   # whom to pair among equals: upper half with lower, or "lots"
{_LENGTH}{_POINTS}\
# tie_breaks = ["buchholz-cut-1", "buchholz", "sonneborn-berger"]
""",
    "heats": """\
# late_until = 0                    # the last round before which newcomers are let in

[heats]
rounds = 5
size = 8                            # at most so many in a race
points = [10, 8, 6, 5, 4, 3, 2, 1]  # for the first place, the second, ...
# finishers_only = false            # true: who does not finish gets nothing
# order = "lots"                    # how rounds are divided into heats, or "seeds"
# tie_breaks = ["deals-won", "total-time"]
""",
    "ladder": f"""\
bell = "1h"                         # how long after the start the bell rings
# late_joins = false                # true: newcomers are let in until the bell

[ladder]
{_LENGTH}{_POINTS}# tie_breaks = ["sonneborn-berger", "deals-won"]
""",
}

FORMATS: Final = tuple(_OPTIONS)
"""The formats that there is a plan for: all."""


def template(format: str, *, now: int) -> str:
    """Returns a plan of that format, as it stands; its examples lie ahead of `now`, milliseconds
    of UTC."""
    week = datetime.fromtimestamp(now / 1000, UTC) + timedelta(days=7)
    starts = f"{week:%Y-%m-%d}T18:00:00+00:00"
    return f"{_HEAD.format(format=format, starts=starts)}{_OPTIONS[format]}{_RACE}"
