"""How long a visitor may take over a page.

`websockets` gives a handshake one limit, which is for connections that say nothing; a page is a
handshake to it, and on a slow link one that is larger than the socket's buffer would be cut. So the
limit ends with the request, and a page has another: its visitor must go on taking something of it,
and by and by all, so that nobody holds one for ever by a byte at a time. What the system has taken
over it sends by itself: from then on a visitor only has to close.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from websockets.asyncio.server import ServerConnection
from websockets.protocol import State

from samedeal_server.gateway.heads import Head, is_upgrade

__all__ = ["SLOWEST", "PatientConnection", "Reading"]

SLOWEST: Final = 16 * 1024
"""Bytes that a visitor takes in a second at least, on the whole."""
_LOOKS: Final = 4
"""How often it is looked while a visitor may take nothing."""


class Reading:
    """One page on its way. Pure: instants are seconds of whatever clock."""

    def __init__(self, size: int, now: float, *, still: float, closing: float) -> None:
        """`still` is how many seconds a visitor may take nothing, `closing` how many to close."""
        self._left = size
        self._taken_at = now
        self._end = now + still + size / SLOWEST
        self._still = still
        self._closing = closing

    def until(self, left: int, now: float) -> float:
        """Returns the instant at which to cut the page, of which so many bytes are left now."""
        if left < self._left:
            self._left, self._taken_at = left, now
        return min(self._end, self._taken_at + (self._still if left else self._closing))

    def hurry(self, now: float) -> None:
        """Gives what is left as long as a visitor has to close."""
        self._end = min(self._end, now + self._closing)


class PatientConnection(ServerConnection):
    """A connection that is cut when nothing is asked in time, or when its peer ends it and stays.

    For a page it has time.
    """

    def __init__(self, *arguments: Any, silence: float, still: float, **named: Any) -> None:
        """Takes what the library gives it; `silence` is how many seconds a handshake may take."""
        super().__init__(*arguments, **named)
        self._silence = silence
        self._still = still
        self._limit: asyncio.Timeout | None = None
        self._reading: Reading | None = None
        self._next_look: asyncio.Handle | None = None
        self._head = Head()
        self._is_last = False
        """Whether the peer sends no more, and is sent the page that it asked for."""

    def data_received(self, data: bytes) -> None:
        """Takes bytes as the library does, and notices when they end a WebSocket."""
        if self.protocol.state is State.CONNECTING:
            self._begin(data)
            return
        was_open = self.protocol.state is State.OPEN
        super().data_received(data)
        if was_open and self.protocol.state is not State.OPEN:
            self.ended()

    def _begin(self, data: bytes) -> None:
        """Takes bytes that come before the request is answered: its head is all there may be.

        Whoever sends frames before they may (RFC 6455, 4.1) is cut off.
        """
        if head := self._head.take(data):
            super().data_received(head)
        if self._head.is_passed and self.request is not None and is_upgrade(self.request):
            self.transport.abort()

    def eof_received(self) -> bool:  # type: ignore[override]  # as asyncio has it
        """Notices that the peer sends no more, which ends a connection; a page is still sent.

        Some ask and close their half at once (RFC 9112, 9.6, lets them); then ours ends with the
        page, or when the peer takes too long over it.
        """
        if self.request is None or self.protocol.eof_sent or is_upgrade(self.request):
            super().eof_received()
            return False
        self._is_last = self.protocol.state is State.CONNECTING
        return self._is_last

    def send_data(self) -> None:
        """Sends what the library has to send; the transport closes when the last of it has gone."""
        super().send_data()
        if self._is_last and self.protocol.eof_sent:
            self.transport.close()

    def ended(self) -> None:
        """The peer, or a fault of theirs, has ended the WebSocket: they have to go now.

        The library closes what it has ended only if somebody waits for that.
        """
        self.loop.call_later(self.close_timeout or self._silence, self.transport.abort)

    async def handshake(self, *arguments: Any, **named: Any) -> None:
        """Does what the library does, within our limits; raises TimeoutError beyond them."""
        try:
            async with asyncio.timeout(self._silence) as self._limit:
                await super().handshake(*arguments, **named)
        finally:
            self._limit = None
            if self._next_look is not None:
                self._next_look.cancel()

    def makes_page(self) -> None:
        """Notes that a page was asked for, and has to be made."""
        self._expire_at(self.loop.time() + self._still)

    def sends_page(self, size: int) -> None:
        """Notes that the page is about to be sent, of so many bytes."""
        loop = self.loop
        closing = self.close_timeout or self._silence
        self.close_timeout = None  # it would be counted from the beginning of the page
        self._reading = Reading(size, loop.time(), still=self._still, closing=closing)
        self._next_look = loop.call_soon(self._look)

    def hurry(self) -> None:
        """Has the page end soon: the server does."""
        if self._reading is None:
            self._expire_at(self.loop.time() + self._silence)
        else:
            self._reading.hurry(self.loop.time())
            self._look()

    def _look(self) -> None:
        if self._limit is None or self._reading is None or self._next_look is None:
            return
        left = self.transport.get_write_buffer_size()
        self._expire_at(self._reading.until(left, self.loop.time()))
        self._next_look.cancel()
        self._next_look = self.loop.call_later(self._still / _LOOKS, self._look)

    def _expire_at(self, when: float | None) -> None:
        if self._limit is not None and not self._limit.expired():
            self._limit.reschedule(when)
