"""What the library needs of a network and of time, as two small ports.

Everything else in the library is free of sockets and clocks, so that tests can put a scripted
server and a clock that stands still in their place. `websocket` has the real network.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol
from urllib.parse import urlsplit

from samedeal_protocol.codec import Codec

__all__ = ["Dial", "DialFailed", "RealTiming", "Timing", "Wire", "WireLost", "ws_url"]

_SCHEMES: Final = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}


class WireLost(Exception):
    """The connection is gone. `code` is the WebSocket close code; None if it just broke."""

    def __init__(self, code: int | None = None) -> None:
        super().__init__(f"the connection is gone ({code})")
        self.code = code


class DialFailed(Exception):
    """No connection came about; the text says why. `may_pass`: trying again can help."""

    def __init__(self, sentence: str, *, may_pass: bool) -> None:
        super().__init__(sentence)
        self.may_pass = may_pass


class Wire(Protocol):
    """One open connection that carries whole frames in order."""

    async def send(self, frames: Sequence[bytes]) -> None:
        """Writes frames; raises `WireLost`."""
        ...

    async def receive(self) -> bytes:
        """Returns the next frame; raises `WireLost`."""
        ...

    async def close(self) -> None:
        """Ends the connection; never raises."""
        ...


Dial = Callable[[str, Codec], Awaitable[Wire]]
"""Opens a wire to a ws:// address; raises `DialFailed`."""


class Timing(Protocol):
    """Time, and the chance that spreads reconnects."""

    def now(self) -> float:
        """Returns seconds by a clock that never goes back."""
        ...

    async def sleep(self, seconds: float) -> None: ...

    def chance(self) -> float:
        """Returns a number from 0 up to 1."""
        ...


class RealTiming:
    """The machine's own."""

    def now(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def chance(self) -> float:
        return random.random()


def ws_url(address: str) -> str:
    """Returns the ws:// or wss:// address for what a person types.

    Raises ValueError, with a sentence, for what is no address.
    """
    text = address.strip()
    if "://" not in text:
        text = f"ws://{text}"
    try:
        parts = urlsplit(text)
        host = parts.hostname
        _ = parts.port
    except ValueError as fault:
        raise ValueError(f"{address!r} is no address: {fault}") from None
    scheme = _SCHEMES.get(parts.scheme)
    if scheme is None or not host or any(character.isspace() for character in text):
        raise ValueError(f"{address!r} is no address: write ws://HOST:PORT")
    return parts._replace(scheme=scheme, path=parts.path or "/", fragment="").geturl()
