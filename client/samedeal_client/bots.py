"""Honest bots: each is one function from what it was sent to a move, or None to give up.

A bot sees a `View` and nothing else. Where it looks ahead, it stops at every play that would turn
up a hidden card: what comes then, it knows as little as a person. Each bot is made from a seed of
its own, gives the same answers to the same views, and ends by itself: it gives up when it has made
many moves without bringing a card home.
"""

from __future__ import annotations

import asyncio
import inspect
import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias, overload

from samedeal_protocol.messages import Standing
from samedeal_protocol.terms import Mode, Start, Terms
from samedeal_protocol.tournament.views import TournamentTable
from samedeal_rules.notation import Move

from .client import DEFAULT_URL, Hall, connect
from .cups.cup import Call, Cup
from .cups.touring import enter, first_game, tour
from .entrance import named_alike, opened
from .errors import Refused
from .planning import Planner, Weariness
from .run import Run
from .transport import RealTiming, Timing
from .view import View

__all__ = [
    "BOTS",
    "Bot",
    "Slow",
    "be_ready",
    "greedy_bot",
    "patient_bot",
    "play_out",
    "play_tournament",
    "random_bot",
    "run_bot",
]

Bot: TypeAlias = Callable[[View], str | Move | Awaitable[str | Move | None] | None]
"""Looks at a view and says what to play: a move, or None to give up. It may be async."""

# --- the three ------------------------------------------------------------------------------


def random_bot(seed: str = "") -> Bot:
    """Any legal move, by chance from its own seed."""
    chance = random.Random(seed)
    weariness = Weariness()

    def bot(view: View) -> str | None:
        legal = view.legal()
        return chance.choice(legal) if legal and not weariness.grows(view) else None

    return bot


def greedy_bot(seed: str = "") -> Bot:
    """Whatever makes the table better at once; else the stock; else something not tried yet."""
    return Planner(random.Random(seed), nodes=1).next_move


def patient_bot(seed: str = "", *, nodes: int = 20_000) -> Bot:
    """Looks ahead over known cards, through at most about `nodes` positions, for the best line.

    Where nothing is hidden it plans the whole game and wins if it finds out how; where something
    is, it plans up to the next card that turns up, and remembers the cards that it has seen. It
    plays its plan as long as the table is as foreseen. Where no line makes the table better it
    turns the stock, and then tries what it has not tried yet.
    """
    return Slow(Planner(random.Random(seed), nodes=nodes).next_move)


@dataclass(frozen=True, slots=True)
class Slow:
    """A bot that may think for a second: `play_out` lets it do so beside the event loop."""

    think: Callable[[View], str | Move | None]

    def __call__(self, view: View) -> str | Move | None:
        """Returns what the bot answers."""
        return self.think(view)


BOTS: Final[Mapping[str, Callable[[str], Bot]]] = MappingProxyType(
    {"random": random_bot, "greedy": greedy_bot, "patient": patient_bot}
)
"""By name; each makes a bot from a seed."""


# --- playing a race -------------------------------------------------------------------------


async def play_out(
    run: Run,
    bot: Bot,
    *,
    pace: float | Callable[[], float] = 0.0,
    timing: Timing | None = None,
) -> None:
    """Says ready (or begins an async race), plays until done; gives up when the bot returns None.

    `pace` is how many seconds to let go by before every move; a function is asked each time. An
    illegal move of the bot's is raised as `IllegalMove`.
    """
    clock = timing or RealTiming()
    if run.terms.mode is Mode.ASYNC:
        if run.state == "entered":
            await run.begin()
    else:
        await be_ready(run)
    async for view in run:
        wait = pace() if callable(pace) else pace
        if wait > 0:
            await clock.sleep(wait)
        move = await asyncio.to_thread(bot, view) if isinstance(bot, Slow) else bot(view)
        if inspect.isawaitable(move):
            move = await move
        try:
            if move is None:
                await run.give_up()
            else:
                await run.play(move)
        except Refused:
            # The race may have ended while the bot was thinking.
            if not run.is_done:
                raise


async def be_ready(run: Run) -> None:
    """Says ready in a live race, and again whenever it was taken back, until the race starts."""
    async for _ in run.changes():
        if run.phase not in ("open", "countdown"):
            return
        if run.state == "entered" and run.terms.start is not Start.AT:
            await run.ready()


@overload
async def run_bot(
    url: str = ...,
    bot: Bot | str = ...,
    *,
    race: str,
    name: str | None = ...,
    token: str | None = ...,
    phrase: str | None = ...,
    pace: float = ...,
    seed: str = ...,
) -> tuple[Standing, ...]: ...


@overload
async def run_bot(
    url: str = ...,
    bot: Bot | str = ...,
    *,
    terms: Terms,
    deal: str | None = ...,
    name: str | None = ...,
    token: str | None = ...,
    pace: float = ...,
    seed: str = ...,
) -> tuple[Standing, ...]: ...


@overload
async def run_bot(
    url: str = ...,
    bot: Bot | str = ...,
    *,
    tournament: str,
    name: str | None = ...,
    token: str | None = ...,
    phrase: str | None = ...,
    pace: float = ...,
    seed: str = ...,
) -> TournamentTable: ...


async def run_bot(
    url: str = DEFAULT_URL,
    bot: Bot | str = "greedy",
    *,
    race: str | None = None,
    terms: Terms | None = None,
    deal: str | None = None,
    tournament: str | None = None,
    name: str | None = None,
    token: str | None = None,
    phrase: str | None = None,
    pace: float = 0.0,
    seed: str = "",
) -> tuple[Standing, ...] | TournamentTable:
    """Connects as a bot, enters the race, plays it out, and returns the standings.

    `bot` is a function or a name of `BOTS`, which is then made from `seed`. Returns when a live
    race is over; of an async one, the standings so far. With `terms` instead of `race` it opens a
    race of its own, on the deal of that seed if one is given, and calls it off if it fails before
    the start. With `tournament` it registers there, plays every race that it is called to, and
    returns the final table. Where somebody else has the name it is called `name-2`, and so on:
    `token`, from `hall.token`, makes it the same player again. Raises KeyError for an unknown
    bot, and what `connect`, `create`, `join` and `play` raise.
    """
    if [race, terms, tournament].count(None) != 2:
        raise ValueError("name a race, the terms of a new one, or a tournament")
    _made(bot, seed)  # An unknown name is told before anybody connects.
    async with _hall(url, name, token) as hall:
        if tournament is not None:
            async with hall.tournament(tournament) as cup:
                await enter(cup, phrase=phrase)
                await play_tournament(hall, cup, bot, pace=pace, seed=seed)
                return await cup.standings()
        if terms is not None:
            async with opened(hall, terms, deal=deal) as own:
                return await _play_race(hall, own, _made(bot, seed), pace=pace)
        return await _play_race(hall, str(race), _made(bot, seed), pace=pace, phrase=phrase)


def _hall(url: str, name: str | None, token: str | None) -> AbstractAsyncContextManager[Hall]:
    if name is None or token is not None:
        return connect(url, name=name, token=token, bot=True)
    return named_alike(name, lambda called: connect(url, name=called, bot=True))


async def _play_race(
    hall: Hall, race: str, bot: Bot, *, pace: float, phrase: str | None = None
) -> tuple[Standing, ...]:
    async with hall.join(race, phrase=phrase) as run:
        await play_out(run, bot, pace=pace)
        if run.terms.mode is Mode.LIVE:
            return await run.over()
        return (await hall.results(run.race)).standings


async def play_tournament(
    hall: Hall, cup: Cup, bot: Bot | str = "greedy", *, pace: float = 0.0, seed: str = ""
) -> None:
    """Plays every race of a tournament that the bot is called to, and waits for the end.

    A bot that is named is made anew for each race. Raises what `play_out` does.
    """

    async def play(call: Call) -> None:
        race = call.race.race
        async with hall.join(race) as run:
            await play_out(run, _made(bot, f"{seed}/{race}"), pace=pace)

    await tour(cup, play, pick=first_game)
    await cup.over()


def _made(bot: Bot | str, seed: str) -> Bot:
    return BOTS[bot](seed) if isinstance(bot, str) else bot
