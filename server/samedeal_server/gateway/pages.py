"""The pages beside the WebSocket: what this is, how it is, and a read-only JSON API.

`page` is a function of the method, the target and what the hall lets a stranger see; `respond`
hangs it into `websockets`. Nothing here changes anything: whatever does is a protocol message.

    /  /r/CODE  /games  ...       the pages that people see: see `site` and `web`
    /healthz  /readyz  /version   for whoever keeps the server running
    /api/v1/games                 the games; /api/v1/games/KEY with table, rules and a deal
    /api/v1/races                 the listed races that are not over
    /api/v1/races/CODE            how a race stands or ended
    /api/v1/races/CODE/replay     the replay of a race that is over, as JSON lines
    /api/v1/races/CODE/reel       the same with every position, for who knows no rules
    /api/v1/tournaments/...       tournaments, as JSON and CSV: see `cup_pages`
    /api/v1/leaderboards/...      ratings and leaderboards; also players: see `board_pages`
    /api/v1/daily  .../league     the daily deal and the weekly league: see `daily_pages`
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from http import HTTPStatus
from typing import Final, Protocol
from urllib.parse import unquote

import msgspec
from websockets.http11 import Request, Response

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.messages import PROTOCOL, RaceCard
from samedeal_rules import UnknownGame, deal, find
from samedeal_rules.catalogue import describe
from samedeal_rules.games import GAMES
from samedeal_rules.prose import rules_text
from samedeal_rules.shuffle import SHUFFLE_VERSION
from samedeal_server.gateway import board_pages, cup_pages, daily_pages
from samedeal_server.gateway.answers import NEVER, NOWHERE, OPEN, Origin, Page, origin_of, sent
from samedeal_server.gateway.reels import Reels
from samedeal_server.gateway.site import Records, site_page
from samedeal_server.gateway.start_page import start_page
from samedeal_server.gateway.web import Tree
from samedeal_server.ports import LogUnavailable
from samedeal_server.racing.race import Refused
from samedeal_server.version import VERSION

__all__ = ["Hall", "page", "respond"]


class Hall(Protocol):
    """What pages may ask; every answer is what a stranger may know."""

    @property
    def dailies(self) -> daily_pages.Almanac: ...

    def unready(self) -> str | None:
        """Says why players should go elsewhere for now, or None."""
        ...

    def listed(self) -> Sequence[RaceCard]:
        """Returns the listed races that are not over."""
        ...

    @property
    def annex(self) -> cup_pages.Cups:
        """Tournaments."""
        ...

    @property
    def boards(self) -> board_pages.Boards:
        """Ratings and leaderboards."""
        ...

    @property
    def records(self) -> Records: ...


_JSON: Final = msgspec.json.Encoder()
_RACE: Final = re.compile(r"[A-Za-z0-9_-]{1,32}")
_GAME: Final = re.compile(r"[a-z0-9:-]{1,64}")

_STATUS: Final = {
    ErrorCode.NO_SUCH_RACE: HTTPStatus.NOT_FOUND,
    ErrorCode.NO_SUCH_GAME: HTTPStatus.NOT_FOUND,
    ErrorCode.NO_SUCH_TOURNAMENT: HTTPStatus.NOT_FOUND,
    ErrorCode.NO_SUCH_PLAYER: HTTPStatus.NOT_FOUND,
    ErrorCode.BAD_BOARD: HTTPStatus.BAD_REQUEST,
    ErrorCode.BEING_COUNTED: HTTPStatus.SERVICE_UNAVAILABLE,
    ErrorCode.NOT_OVER: HTTPStatus.CONFLICT,
    ErrorCode.NOT_OPEN: HTTPStatus.NOT_FOUND,
    ErrorCode.MALFORMED: HTTPStatus.BAD_REQUEST,
    ErrorCode.STORE_UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
    ErrorCode.INTERNAL: HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""The status of a refusal; any other is 403, the stranger may not."""

_BRIEFLY: Final = {**OPEN, "Cache-Control": "public, max-age=60"}
"""What only another release changes; not for longer, as pages of that release need theirs."""

_EXAMPLE: Final = "samedeal"
"""The seed of the deal that pictures a game."""


async def page(
    method: str,
    target: str,
    hall: Hall,
    *,
    origin: Origin = NOWHERE,
    tree: Tree | None = None,
    reels: Reels | None = None,
) -> Page:
    """Answers one request; never raises for anything that a visitor sent.

    `tree` is the browser client's, where there is one; `reels` has what is made of finished races.
    """
    if method not in ("GET", "HEAD"):
        return Page(
            HTTPStatus.METHOD_NOT_ALLOWED,
            _fault("bad-method", f"{method[:16]} is not answered here; use GET or HEAD"),
            headers={**NEVER, "Allow": "GET, HEAD"},
        )
    path, _, query = target.partition("#")[0].partition("?")
    try:
        path = path.rstrip("/") or "/"
        answer = await _at(path, query, hall, reels or Reels())
        return answer or await _seen_at(path, hall, tree, origin)
    except Refused as refusal:
        status = _STATUS.get(refusal.code, HTTPStatus.FORBIDDEN)
        return Page(status, _fault(refusal.code.code, refusal.sentence), headers=OPEN)
    except LogUnavailable:
        return Page(
            HTTPStatus.SERVICE_UNAVAILABLE,
            _fault(ErrorCode.STORE_UNAVAILABLE.code, "the log cannot be read right now"),
            headers={**NEVER, "Retry-After": "5"},
        )


async def _seen_at(path: str, hall: Hall, tree: Tree | None, origin: Origin) -> Page:
    """Returns what people and their browsers get, or that there is no such page."""
    if tree is None:
        return start_page(origin, unready=hall.unready()) if path == "/" else _no_page()
    file = tree.files.get(path)
    if file is not None:
        return file
    if path.startswith(("/api", "/s/")):
        return _no_page()
    return await site_page(path, tree, hall, origin)


async def _at(path: str, query: str, hall: Hall, reels: Reels) -> Page | None:
    """Returns what programs get; None if it is nothing for them."""
    match path.split("/")[1:]:
        case ["healthz"]:
            return Page(HTTPStatus.OK, b"ok\n", "text/plain; charset=utf-8", NEVER)
        case ["readyz"]:
            return _readiness(hall)
        case ["version"]:
            return Page(HTTPStatus.OK, _version(), headers=OPEN)
        case ["api", "v1", "games"]:
            return Page(HTTPStatus.OK, _games(), headers=_BRIEFLY)
        case ["api", "v1", "games", key] if _GAME.fullmatch(unquote(key)):
            return _game(unquote(key))
        case ["api", "v1", "races"]:
            return Page(HTTPStatus.OK, _JSON.encode({"races": hall.listed()}), headers=OPEN)
        case ["api", "v1", "races", race] if _RACE.fullmatch(race):
            return Page(HTTPStatus.OK, _JSON.encode(await hall.records.sheet(race)), headers=OPEN)
        case ["api", "v1", "races", race, "replay"] if _RACE.fullmatch(race):
            return await reels.replay(race, hall.records.replay)
        case ["api", "v1", "races", race, "reel"] if _RACE.fullmatch(race):
            return await reels.of(race, hall.records.replay)
        case ["api", "v1", "tournaments", *rest]:
            return _of_tournaments(await cup_pages.answer(rest, query, hall.annex))
        case ["api", "v1", "leaderboards" | "players" | "annulments" as first, *rest]:
            told = await board_pages.answer([first, *rest], query, hall.boards)
            return _no_page() if told is None else Page(HTTPStatus.OK, told, headers=OPEN)
        case ["api", "v1", "daily" | "league" as kind, *rest]:
            said = await daily_pages.answer([kind, *rest], query, hall.dailies)
            return _no_page() if said is None else Page(HTTPStatus.OK, said, headers=OPEN)
        case _:
            return None


def _of_tournaments(answer: cup_pages.Answer | None) -> Page:
    if answer is None:
        return _no_page()
    kept = {"Content-Disposition": f'attachment; filename="{answer.file}"'} if answer.file else {}
    return Page(HTTPStatus.OK, answer.body, answer.kind, {**OPEN, **kept})


def _no_page() -> Page:
    return Page(
        HTTPStatus.NOT_FOUND,
        _fault("no-such-page", "there is no such page; / says what there is"),
        headers=OPEN,
    )


def _fault(code: str, sentence: str) -> bytes:
    return _JSON.encode({"error": code, "message": sentence})


def _readiness(hall: Hall) -> Page:
    reason = hall.unready()
    if reason is None:
        return Page(HTTPStatus.OK, _JSON.encode({"ready": True}), headers=NEVER)
    return Page(
        HTTPStatus.SERVICE_UNAVAILABLE,
        _JSON.encode({"ready": False, "message": reason}),
        headers={**NEVER, "Retry-After": "5"},
    )


@cache
def _version() -> bytes:
    return _JSON.encode({"samedeal": VERSION, "protocol": PROTOCOL, "deal": SHUFFLE_VERSION})


@cache
def _games() -> bytes:
    facts = []
    for game in GAMES:
        whole = describe(game)
        facts.append(
            {
                "key": whole["key"],
                "name": whole["name"],
                "object": whole["object"],
                "packs": whole["packs"],
                "cards": whole["cards"],
                "hides_cards": whole["hides_cards"],
                "luck_after_deal": whole["luck_after_deal"],
                "variants": whole["variants"],
            }
        )
    return _JSON.encode({"games": facts})


@lru_cache(maxsize=256)
def _game(key: str) -> Page:
    try:
        game = find(key)
    except UnknownGame as fault:
        return Page(
            HTTPStatus.NOT_FOUND, _fault(ErrorCode.NO_SUCH_GAME.code, str(fault)), headers=OPEN
        )
    example = deal(game, _EXAMPLE).view().text()
    whole = {**describe(game), "rules": rules_text(game), "example": example}
    return Page(HTTPStatus.OK, _JSON.encode(whole), headers=_BRIEFLY)


# --- websockets ----------------------------------------------------------------------------------


async def respond(request: Request, hall: Hall, tree: Tree | None, reels: Reels) -> Response:
    """Answers a plain HTTP request that `websockets` has read."""
    origin = origin_of(request)
    answer = await page(request.method, request.path, hall, origin=origin, tree=tree, reels=reels)
    return await sent(answer, request)
