"""Playing a whole tournament: checking in, picking games, and each race that one is called to.

async with hall.tournament(code) as cup:
    await cup.register()
    await tour(cup, play, pick=first_game)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final

from samedeal_client.beside import beside
from samedeal_client.errors import ClientError, Refused
from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.tournament.views import MatchView

from .cup import Call, Cup

__all__ = ["Pick", "attend", "enter", "first_game", "played", "tour"]

_AGAIN: Final = 0.5
"""Seconds after which a race that is not open yet is tried again."""
_TOO_LATE: Final = frozenset(
    code.code for code in (ErrorCode.NOT_OPEN, ErrorCode.NOT_INVITED, ErrorCode.NOT_RUNNING)
)

Pick = Callable[[MatchView, Sequence[str]], str]
"""Chooses one of the tournament's games for the next race of a match."""


def first_game(match: MatchView, games: Sequence[str]) -> str:
    """Picks the games in their order, one after the other."""
    return games[len(match.races) % len(games)]


async def enter(cup: Cup, *, phrase: str | None = None) -> None:
    """Registers, unless that is done; who had withdrawn comes back. Raises `Refused`."""
    you = cup.you
    if you is None or you.state == "absent":
        await cup.register(phrase=phrase)
    elif you.state == "withdrawn":
        await cup.come_back()


async def tour(
    cup: Cup, play: Callable[[Call], Awaitable[None]], *, pick: Pick | None = None
) -> None:
    """Plays each race with `play` until there will be no more; between and beside them attends.

    Races are played one after the other, in the order in which they were called. `play` joins the
    race. One that the player came too late for is passed over. Raises what `play` does.
    """
    async with beside(_attend(cup, pick), name=f"attends {cup.code}"):
        while (call := await cup.next_race()) is not None:
            await played(cup, call, play)


async def played(cup: Cup, call: Call, play: Callable[[Call], Awaitable[None]]) -> None:
    """Plays one race to which the player was called; passes it over if they are too late.

    A race is called a moment before it is open: until then it is tried again.
    """
    while True:
        try:
            await play(call)
        except Refused as refused:
            if refused.code in _TOO_LATE or not cup.wants(call.race.race):
                return
            if refused.code != ErrorCode.NO_SUCH_RACE.code:
                raise
            await cup.pause(_AGAIN)
        else:
            return


async def _attend(cup: Cup, pick: Pick | None) -> None:
    # What closes the hall is raised by the race or the wait beside this.
    with suppress(ClientError):
        await attend(cup, pick=pick)


async def attend(cup: Cup, *, pick: Pick | None = None) -> None:
    """Checks in when that is open and picks games when it is the player's turn, until it is over.

    Without `pick` somebody else picks: a person, or the lot.
    """
    picked: set[tuple[str, int]] = set()
    async for _ in cup.changes():
        you = cup.you
        # Refusals mean that it is too late, or done elsewhere: then there is nothing to do.
        if you is not None and you.state == "registered" and cup.head.phase == "check-in":
            with suppress(Refused):
                await cup.check_in()
        for match in cup.ledger.picks() if pick is not None else ():
            turn = match.match, len(match.races)
            if pick is not None and turn not in picked:
                picked.add(turn)
                games = (cup.terms.race.game, *cup.terms.games)
                with suppress(Refused):
                    await cup.pick(match.match, pick(match, games))
        if cup.is_over:
            return
