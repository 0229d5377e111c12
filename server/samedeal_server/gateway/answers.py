"""An answer over plain HTTP: what it is, and how it goes to who asked.

It goes compressed where that is understood and worth it, and without its body where the visitor
has it already. A large one is compressed, or not any more, in a thread, which leaves the event loop
to the races.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Final

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

__all__ = [
    "FRESH",
    "NEVER",
    "NOWHERE",
    "OPEN",
    "Origin",
    "Page",
    "etag_of",
    "origin_of",
    "packed",
    "sent",
]

FRESH: Final = {"Cache-Control": "no-cache"}
"""May be kept, and is asked for again every time: mostly the answer is that it is the same."""
NEVER: Final = {"Cache-Control": "no-store"}
OPEN: Final = {**FRESH, "Access-Control-Allow-Origin": "*"}
"""Whoever may know it may show it on a page of their own."""

_WORTH_PACKING: Final = 1024
_WORTH_A_THREAD: Final = 64 * 1024
_PLAIN_KINDS: Final = ("text/", "application/json", "application/manifest+json", "image/svg+xml")
"""What shrinks."""


@dataclass(frozen=True, slots=True)
class Page:
    """An answer over plain HTTP."""

    status: HTTPStatus
    body: bytes
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    is_packed: bool = False
    """The body is compressed already, and goes so to whoever understands that."""
    etag: str = ""
    """What the content is known by; one that is fresh gets it from its body."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the visitor found us, for what a page says of its own address."""

    host: str = ""
    is_secure: bool = False

    @property
    def is_known(self) -> bool:
        """Whether the host is one that can be repeated."""
        return re.fullmatch(r"[A-Za-z0-9.:\[\]-]{1,255}", self.host) is not None

    @property
    def address(self) -> str:
        """Returns the server as `samedeal --server` takes it."""
        host = self.host if self.is_known else "HOST:PORT"
        return f"{'wss' if self.is_secure else 'ws'}://{host}"

    @property
    def url(self) -> str:
        """Returns what a path is put behind to be a whole address; empty where that is unknown."""
        return f"{'https' if self.is_secure else 'http'}://{self.host}" if self.is_known else ""


NOWHERE: Final = Origin()
"""Where who asks without a host has found us."""


def origin_of(request: Request) -> Origin:
    """Returns where a visitor found us: nowhere, if they say two hosts; by the proxy next to us."""
    hosts = request.headers.get_all("Host")
    schemes = ",".join(request.headers.get_all("X-Forwarded-Proto"))
    is_secure = schemes.rpartition(",")[2].strip().lower() == "https"
    return Origin(hosts[0] if len(hosts) == 1 else "", is_secure)


def packed(body: bytes) -> bytes:
    """Compresses with gzip; the same bytes give the same bytes."""
    return gzip.compress(body, 9, mtime=0)


def etag_of(body: bytes) -> str:
    """Returns what the content is known by, compressed or not."""
    return f'W/"{hashlib.sha256(body).hexdigest()[:16]}"'


async def sent(answer: Page, request: Request) -> Response:
    """Returns the answer as it goes to who sent the request."""
    etag = answer.etag
    is_kept = answer.headers.get("Cache-Control") != NEVER["Cache-Control"]
    if not etag and answer.status is HTTPStatus.OK and is_kept:
        etag = etag_of(answer.body)
    headers = Headers(
        {
            "Content-Type": answer.kind,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Connection": "close",
            **answer.headers,
        }
    )
    if etag:
        headers["ETag"] = etag
    if answer.kind.startswith(_PLAIN_KINDS):
        headers["Vary"] = "Accept-Encoding"
    if etag and _knows(request, etag):
        del headers["Content-Type"]
        status = HTTPStatus.NOT_MODIFIED
        return Response(status.value, status.phrase, headers, b"")
    body, is_packed = await _encoded(answer, takes_gzip=_takes_gzip(request))
    if is_packed:
        headers["Content-Encoding"] = "gzip"
    headers["Content-Length"] = str(len(body))
    return Response(
        answer.status.value,
        answer.status.phrase,
        headers,
        b"" if request.method == "HEAD" else body,
    )


async def _encoded(answer: Page, *, takes_gzip: bool) -> tuple[bytes, bool]:
    """Returns the body as it is sent, and whether that is compressed."""
    body = answer.body
    if answer.is_packed:
        if takes_gzip:
            return body, True
        return await asyncio.to_thread(gzip.decompress, body), False  # it can be 100 times as long
    if not takes_gzip or len(body) <= _WORTH_PACKING or not answer.kind.startswith(_PLAIN_KINDS):
        return body, False
    pack = partial(gzip.compress, body, 6, mtime=0)
    return (await asyncio.to_thread(pack) if len(body) > _WORTH_A_THREAD else pack()), True


def _takes_gzip(request: Request) -> bool:
    for value in request.headers.get_all("Accept-Encoding"):
        for offer in value.lower().split(","):
            name, *parameters = (part.strip() for part in offer.split(";"))
            if name in ("gzip", "*"):
                return not any(re.fullmatch(r"q=0(\.0*)?", each) for each in parameters)
    return False


def _knows(request: Request, etag: str) -> bool:
    """Says whether the visitor has the content of that name."""
    known = ",".join(request.headers.get_all("If-None-Match"))
    return etag in (name.strip() for name in known.split(","))
