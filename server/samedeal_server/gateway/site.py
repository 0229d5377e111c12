"""The pages that people see: one HTML file for all of them, with what is said of each at its head.

Which page it is, the client finds out from the address; any that its router does not know is not
found. Nothing in a page runs, loads or connects but what is ours; a page
may be framed by others only where it was made for that, under /overlay and /embed, and there
nothing can be changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final, Protocol

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.messages import ResultsSheet
from samedeal_server.gateway import cup_pages
from samedeal_server.gateway.answers import FRESH, Origin, Page
from samedeal_server.gateway.previews import SITE, Preview, head, of_race, of_tournament
from samedeal_server.gateway.web import Tree
from samedeal_server.ports import LogUnavailable
from samedeal_server.racing.race import Refused

__all__ = ["Known", "Records", "site_page"]


class Records(Protocol):
    """What a stranger may read of races."""

    async def sheet(self, race: str) -> ResultsSheet:
        """Returns how a race stands or ended; raises `Refused`."""
        ...

    async def replay(self, race: str) -> Sequence[bytes]:
        """Returns the log's lines of a race that is over; raises `Refused`, also for a phrase."""
        ...


class Known(Protocol):
    """What is asked for the head of a page; every answer is what a stranger may know."""

    @property
    def annex(self) -> cup_pages.Cups:
        """Tournaments."""
        ...

    @property
    def records(self) -> Records: ...


_FRAMED: Final = ("/overlay/", "/embed/")
_RACE: Final = re.compile(r"/r/([^/]+)(?:/watch|/replay)?")
_TOURNAMENT: Final = re.compile(r"/t/([^/]+)")
_ABSENT: Final = frozenset({ErrorCode.NO_SUCH_RACE, ErrorCode.NO_SUCH_TOURNAMENT})


async def site_page(path: str, tree: Tree, known: Known, origin: Origin) -> Page:
    """Returns the page of a path; of one that there is not, a page as well, as not found."""
    status, preview = HTTPStatus.NOT_FOUND, None
    route = tree.route(path)
    if route is not tree.nowhere:
        status, preview = await _of(path, known)
    said = head(preview, origin.url and f"{origin.url}{path}") if preview else ""
    is_framed = path.startswith(_FRAMED)
    headers = {**FRESH, "Content-Security-Policy": _policy(origin, is_framed=is_framed)}
    if not is_framed:
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
    body = tree.page(route, said, address=origin.address)
    return Page(status, body, "text/html; charset=utf-8", headers)


async def _of(path: str, known: Known) -> tuple[HTTPStatus, Preview]:
    """Returns whether what the page is about is there, and what is said of it."""
    try:
        if race := _RACE.fullmatch(path):
            return HTTPStatus.OK, of_race(await known.records.sheet(race[1]))
        if cup := _TOURNAMENT.fullmatch(path):
            return HTTPStatus.OK, of_tournament(await known.annex.sheet(cup[1]))
    except Refused as refusal:
        is_there = refusal.code not in _ABSENT
        return HTTPStatus.OK if is_there else HTTPStatus.NOT_FOUND, SITE
    except LogUnavailable:
        # The page itself says so, and goes on by itself when the log can be read again.
        return HTTPStatus.OK, SITE
    return HTTPStatus.OK, SITE


def _policy(origin: Origin, *, is_framed: bool) -> str:
    # Some browsers take 'self' for http alone; and none knows an IPv6 address here.
    is_named = origin.is_known and "[" not in origin.host
    framers = "*" if is_framed else "'none'"
    sockets = f" ws://{origin.host} wss://{origin.host}" if is_named else ""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            f"connect-src 'self'{sockets}",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            f"frame-ancestors {framers}",
        )
    )
