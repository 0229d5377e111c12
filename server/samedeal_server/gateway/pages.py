"""The pages beside the WebSocket: what this is, how it is, and a read-only JSON API.

`page` is a function of the method, the target and what the hall lets a stranger see; `respond`
hangs it into `websockets`. Nothing here changes anything: whatever does is a protocol message.

    /                             what this is and what to do next
    /healthz  /readyz  /version   for whoever keeps the server running
    /api/v1/games                 the games; /api/v1/games/KEY with table and rules
    /api/v1/races                 the listed races that are not over
    /api/v1/races/CODE            how a race stands or ended
    /api/v1/races/CODE/replay     the replay of a race that is over, as JSON lines
    /api/v1/tournaments/...       tournaments, as JSON and CSV: see `cup_pages`
    /api/v1/leaderboards/...      ratings and leaderboards; also players: see `board_pages`
    /api/v1/daily  .../league     the daily deal and the weekly league: see `daily_pages`
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from typing import Final, Protocol

import msgspec
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import chained
from samedeal_protocol.messages import PROTOCOL, RaceCard, ResultsSheet
from samedeal_rules import UnknownGame, find
from samedeal_rules.catalogue import describe
from samedeal_rules.games import GAMES
from samedeal_rules.prose import rules_text
from samedeal_rules.shuffle import SHUFFLE_VERSION
from samedeal_server.gateway import board_pages, cup_pages, daily_pages
from samedeal_server.ports import LogUnavailable
from samedeal_server.racing.race import Refused
from samedeal_server.version import VERSION

__all__ = ["Hall", "Page", "page", "replay_lines", "respond"]


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

    async def sheet(self, race: str) -> ResultsSheet:
        """Returns how a race stands or ended; raises `Refused`."""
        ...

    async def replay(self, race: str) -> Sequence[bytes]:
        """Returns the log's lines of a race that is over; raises `Refused`, also for a phrase."""
        ...


@dataclass(frozen=True, slots=True)
class Page:
    """An answer over plain HTTP."""

    status: HTTPStatus
    body: bytes
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the visitor found us, for the command that the start page shows."""

    host: str = ""
    is_secure: bool = False

    @property
    def address(self) -> str:
        """Returns the server as `samedeal --server` takes it."""
        host = self.host if re.fullmatch(r"[A-Za-z0-9.:\[\]-]{1,255}", self.host) else "HOST:PORT"
        return f"{'wss' if self.is_secure else 'ws'}://{host}"


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

_FRESH: Final = {"Cache-Control": "no-cache"}
_NEVER: Final = {"Cache-Control": "no-store"}
_OPEN: Final = {**_FRESH, "Access-Control-Allow-Origin": "*"}
"""Whoever may know it may show it on a page of their own."""


async def page(method: str, target: str, hall: Hall, *, origin: Origin = Origin()) -> Page:
    """Answers one request; never raises for anything that a visitor sent."""
    if method not in ("GET", "HEAD"):
        return Page(
            HTTPStatus.METHOD_NOT_ALLOWED,
            _fault("bad-method", f"{method[:16]} is not answered here; use GET or HEAD"),
            headers={**_NEVER, "Allow": "GET, HEAD"},
        )
    path, _, query = target.partition("#")[0].partition("?")
    try:
        return await _at(path.rstrip("/") or "/", query, hall, origin)
    except Refused as refusal:
        status = _STATUS.get(refusal.code, HTTPStatus.FORBIDDEN)
        return Page(status, _fault(refusal.code.code, refusal.sentence), headers=_OPEN)
    except LogUnavailable:
        return Page(
            HTTPStatus.SERVICE_UNAVAILABLE,
            _fault(ErrorCode.STORE_UNAVAILABLE.code, "the log cannot be read right now"),
            headers={**_NEVER, "Retry-After": "5"},
        )


async def _at(path: str, query: str, hall: Hall, origin: Origin) -> Page:
    match path.split("/")[1:]:
        case [""]:
            return _start_page(hall, origin)
        case ["healthz"]:
            return Page(HTTPStatus.OK, b"ok\n", "text/plain; charset=utf-8", _NEVER)
        case ["readyz"]:
            return _readiness(hall)
        case ["version"]:
            return Page(HTTPStatus.OK, _version(), headers=_OPEN)
        case ["api", "v1", "games"]:
            return Page(HTTPStatus.OK, _games(), headers=_OPEN)
        case ["api", "v1", "games", key] if _GAME.fullmatch(key):
            return _game(key)
        case ["api", "v1", "races"]:
            return Page(HTTPStatus.OK, _JSON.encode({"races": hall.listed()}), headers=_OPEN)
        case ["api", "v1", "races", race] if _RACE.fullmatch(race):
            return Page(HTTPStatus.OK, _JSON.encode(await hall.sheet(race)), headers=_OPEN)
        case ["api", "v1", "races", race, "replay"] if _RACE.fullmatch(race):
            lines = replay_lines(race, await hall.replay(race))
            name = f'attachment; filename="{race}.samedeal.jsonl"'
            return Page(
                HTTPStatus.OK,
                b"".join(line + b"\n" for line in lines),
                "application/jsonl; charset=utf-8",
                {**_OPEN, "Content-Disposition": name},
            )
        case ["api", "v1", "tournaments", *rest]:
            return _of_tournaments(await cup_pages.answer(rest, query, hall.annex))
        case ["api", "v1", "leaderboards" | "players" | "annulments" as first, *rest]:
            told = await board_pages.answer([first, *rest], query, hall.boards)
            return _no_page() if told is None else Page(HTTPStatus.OK, told, headers=_OPEN)
        case ["api", "v1", "daily" | "league" as kind, *rest]:
            said = await daily_pages.answer([kind, *rest], hall.dailies)
            return _no_page() if said is None else Page(HTTPStatus.OK, said, headers=_OPEN)
        case _:
            return _no_page()


def _of_tournaments(answer: cup_pages.Answer | None) -> Page:
    if answer is None:
        return _no_page()
    kept = {"Content-Disposition": f'attachment; filename="{answer.file}"'} if answer.file else {}
    return Page(HTTPStatus.OK, answer.body, answer.kind, {**_OPEN, **kept})


def _no_page() -> Page:
    return Page(
        HTTPStatus.NOT_FOUND,
        _fault("no-such-page", "there is no such page; / says what there is"),
        headers=_OPEN,
    )


def _fault(code: str, sentence: str) -> bytes:
    return _JSON.encode({"error": code, "message": sentence})


def _readiness(hall: Hall) -> Page:
    reason = hall.unready()
    if reason is None:
        return Page(HTTPStatus.OK, _JSON.encode({"ready": True}), headers=_NEVER)
    return Page(
        HTTPStatus.SERVICE_UNAVAILABLE,
        _JSON.encode({"ready": False, "message": reason}),
        headers={**_NEVER, "Retry-After": "5"},
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


def _game(key: str) -> Page:
    try:
        game = find(key)
    except UnknownGame as fault:
        return Page(
            HTTPStatus.NOT_FOUND, _fault(ErrorCode.NO_SUCH_GAME.code, str(fault)), headers=_OPEN
        )
    whole = {**describe(game), "rules": rules_text(game)}
    return Page(HTTPStatus.OK, _JSON.encode(whole), headers=_OPEN)


def replay_lines(race: str, lines: Sequence[bytes]) -> list[bytes]:
    """Returns a replay file's lines: the header, the log exactly as it was written, the head."""
    header = {"samedeal": "replay/1", "race": race, "server": f"samedeal {VERSION}"}
    return [_JSON.encode(header), *lines, _JSON.encode({"head": chained(lines).hex()})]


# --- the start page ------------------------------------------------------------------------------

_STYLE: Final = """
:root { color-scheme: light dark }
body { font: 1.05rem/1.6 system-ui, sans-serif }
body { max-width: 40rem; margin: 3rem auto; padding: 0 1rem }
code, pre { font: 0.95em ui-monospace, monospace }
pre { border: 1px solid; border-radius: 0.5rem; padding: 0.8rem 1rem; overflow-x: auto }
"""

_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        f"style-src 'sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)


def _start_page(hall: Hall, origin: Origin) -> Page:
    address = html.escape(origin.address)
    reason = hall.unready()
    state = f"<p><strong>Not now: {html.escape(reason)}.</strong></p>" if reason else ""
    body = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>samedeal</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<h1>samedeal</h1>
<p>This is a samedeal server: solitaire races in which everyone gets the identical deal at the same
instant, every move is checked, and the finishers are ranked.</p>
{state}
<p>It listens at <code>{address}</code>. To play, type in a terminal:</p>
<pre>samedeal play --server {address}</pre>
<h2>To look at</h2>
<ul>
<li><a href="/api/v1/races">the races that are open or running</a></li>
<li><a href="/api/v1/games">the games</a></li>
<li><a href="/readyz">whether the server is ready</a> and <a href="/version">its version</a></li>
</ul>
</main>
</body>
</html>
"""
    return Page(
        HTTPStatus.OK,
        body.encode(),
        "text/html; charset=utf-8",
        {**_FRESH, "Content-Security-Policy": _POLICY},
    )


# --- websockets ----------------------------------------------------------------------------------


async def respond(request: Request, hall: Hall) -> Response:
    """Answers a plain HTTP request that `websockets` has read."""
    origin = Origin(
        request.headers.get("Host", ""), request.headers.get("X-Forwarded-Proto") == "https"
    )
    answer = await page(request.method, request.path, hall, origin=origin)
    headers = Headers(
        {
            "Content-Type": answer.kind,
            "Content-Length": str(len(answer.body)),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Connection": "close",
            **answer.headers,
        }
    )
    body = b"" if request.method == "HEAD" else answer.body
    return Response(answer.status.value, answer.status.phrase, headers, body)
