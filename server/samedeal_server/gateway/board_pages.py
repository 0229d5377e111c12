"""Ratings and leaderboards over plain HTTP: part of the read-only JSON API, told in docs/api.md.

    /api/v1/leaderboards/rating         the strongest in all games together; /rating/GAME in one
    /api/v1/leaderboards/fastest/GAME   the fastest in a game
    /api/v1/leaderboards/deal/RACE      the fastest on the deal of a race that is over
    /api/v1/leaderboards/streaks        the most days in a row with a finish
    /api/v1/players/NAME                a player's ratings, best times, streak and last changes
    /api/v1/players/NAME/races          the races that a player was in, the newest first
    /api/v1/annulments                  what was ruled about races, and what that changed for whom

Boards take `?offset=N&limit=N&bots=true`, a player `?game=GAME`, races `?offset=N&limit=N`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol, TypeVar
from urllib.parse import unquote

import msgspec

from samedeal_protocol.boards import (
    Leaderboard,
    PlayerSheet,
    RatingBoard,
    Ratings,
    StreakBoard,
    TimeBoard,
)
from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.spoken import fault_text
from samedeal_server.boards.differences import Annulment
from samedeal_server.boards.past import Asked, PastRaces
from samedeal_server.gateway.queries import given
from samedeal_server.racing.race import Refused

__all__ = ["Boards", "answer"]

_Question = TypeVar("_Question", Leaderboard, Ratings, Asked)

_JSON: Final = msgspec.json.Encoder()


class Boards(Protocol):
    """What can be asked about ratings and leaderboards; `Refused` and `LogUnavailable` pass."""

    async def page(self, asked: Leaderboard) -> RatingBoard | TimeBoard | StreakBoard:
        """Returns some lines of a leaderboard."""
        ...

    async def named(self, name: str, game: str | None = None) -> PlayerSheet:
        """Returns what is known of the player who is called so now."""
        ...

    async def past(self, name: str, *, offset: int, limit: int) -> PastRaces:
        """Returns some races of the player who is called so now, the newest first."""
        ...

    async def annulments(self) -> Sequence[Annulment]:
        """Returns what was ruled about races, the newest first."""
        ...


async def answer(path: Sequence[str], query: str, boards: Boards) -> bytes | None:
    """Returns the JSON at a path below `/api/v1`, given by its parts; None if there is none.

    Raises:
        Refused: the query is not one that the page takes; there is no such board, game, race or
            player; or nothing is counted yet.
        LogUnavailable: the store cannot be read.
    """
    match path:
        case ["leaderboards", ("rating" | "streaks") as board]:
            return await _page(boards, query, board=board)
        case ["leaderboards", ("rating" | "fastest") as board, game]:
            return await _page(boards, query, board=board, game=unquote(game))
        case ["leaderboards", "deal", race]:
            return await _page(boards, query, board="fastest", deal=unquote(race))
        case ["players", name]:
            asked = _asked(Ratings, given(query, "game"), name=unquote(name))
            return _JSON.encode(await boards.named(unquote(name), asked.game))
        case ["players", name, "races"]:
            wanted = _asked(Asked, given(query, "offset", "limit"), name=unquote(name))
            races = await boards.past(wanted.name, offset=wanted.offset, limit=wanted.limit)
            return _JSON.encode(races)
        case ["annulments"]:
            given(query)
            return _JSON.encode({"annulments": await boards.annulments()})
        case _:
            return None


async def _page(boards: Boards, query: str, **more: str) -> bytes:
    fields = given(query, "offset", "limit", "bots")
    return _JSON.encode(await boards.page(_asked(Leaderboard, fields, **more)))


def _asked(kind: type[_Question], fields: Mapping[str, str], **more: str) -> _Question:
    """Returns a question, the protocol's own where it has it, so that all keep the same bounds."""
    asked = {**fields, **more, "id": 1, "type": kind.__struct_config__.tag}
    try:
        return msgspec.convert(asked, kind, strict=False)
    except msgspec.ValidationError as fault:
        raise Refused(ErrorCode.MALFORMED, fault_text(str(fault), kind)) from None
