"""Finished races in text, and whole logs of them for properties.

`ann 90 > bob 120 = cat 120 > dan stuck`: who stands left came before who stands right, `=` ties,
a number is a finisher's time in seconds, a star after the name (`hal* 80`) marks a bot.
"""

from __future__ import annotations

from hypothesis import strategies as st

from samedeal_protocol.events import EntrantState
from samedeal_server.ratings.book import Pool
from samedeal_server.ratings.model import Seat
from samedeal_server.ratings.races import Ending, FinishedRace, Ranked

__all__ = [
    "BEGAN",
    "BOTS",
    "DAY",
    "OPUS",
    "PEOPLE",
    "logs",
    "race",
    "seats",
]

DAY = 86_400_000
BEGAN = 1_700_000_000_000
PEOPLE = Pool(bots=False)
OPUS = Pool(bots=False, game="opus")
BOTS = Pool(bots=True)


def race(
    text: str,
    code: str = "r1",
    *,
    at: int = BEGAN,
    game: str = "opus",
    deal: str = "monday",
    listed: bool = True,
    rated: bool = True,
    verified: bool = True,
    ending: Ending = Ending.PLAYED,
) -> FinishedRace:
    """Reads a finished race; everybody was done when it was over."""
    entrants: list[Ranked] = []
    for group in text.split(">") if text else []:
        place = len(entrants) + 1
        for each in group.split("="):
            name, result = each.split()
            state = EntrantState.FINISHED if result.isdigit() else EntrantState(result)
            entrants.append(
                Ranked(
                    player=name.rstrip("*"),
                    bot=name.endswith("*"),
                    place=place,
                    state=state,
                    elapsed_ms=int(result) * 1000 if result.isdigit() else None,
                    done_at=at,
                )
            )
    return FinishedRace(
        race=code,
        at=at,
        game=game,
        deal=deal,
        listed=listed,
        rated=rated,
        verified=verified,
        ending=ending,
        entrants=tuple(entrants),
    )


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A race between some of six people or three bots, seldom of both."""
    crowd = draw(st.sampled_from(["abcdef"] * 6 + ["xyz"] * 2 + ["abxy"]))
    players = draw(st.lists(st.sampled_from(crowd), min_size=1, max_size=6, unique=True))
    names = [player + "*" * (player in "xyz") for player in players]
    finishers = draw(st.integers(0, len(names)))
    times = sorted(draw(st.integers(60, 70)) for _ in range(finishers))
    text = ""
    for index, name in enumerate(names):
        if index < finishers:
            sign = "=" if index and times[index] == times[index - 1] else ">"
            result = str(times[index])
        else:
            sign = draw(st.sampled_from(">=")) if index > finishers else ">"
            result = draw(st.sampled_from(["stuck", "gave-up", "out-of-time", "disqualified"]))
        text += f"{f' {sign} ' if index else ''}{name} {result}"
    return text


@st.composite
def logs(draw: st.DrawFn) -> list[FinishedRace]:
    """A log of races, most of them rated, some long after the one before."""
    now, found = BEGAN, list[FinishedRace]()
    for number in range(draw(st.integers(0, 8))):
        now += draw(st.sampled_from([0, 60_000, DAY, 29 * DAY, 31 * DAY, 200 * DAY, 500 * DAY]))
        found.append(
            race(
                draw(texts()),
                f"r{number}",
                at=now,
                game=draw(st.sampled_from(["opus", "opus", "amazons"])),
                deal=draw(st.sampled_from(["monday", "tuesday"])),
                listed=draw(st.sampled_from([True] * 4 + [False])),
                rated=draw(st.sampled_from([True] * 9 + [False])),
                verified=draw(st.sampled_from([True] * 9 + [False])),
                ending=draw(st.sampled_from([Ending.PLAYED] * 8 + list(Ending))),
            )
        )
    return found


@st.composite
def seats(draw: st.DrawFn, least: int = 2, most: int = 8) -> list[Seat]:
    """The entrants of a race with any ratings and any places."""
    return [
        Seat(draw(st.floats(500, 2500)), draw(st.floats(60, 250)), draw(st.integers(1, most)))
        for _ in range(draw(st.integers(least, most)))
    ]
