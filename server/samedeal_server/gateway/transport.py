"""What a connection needs of whatever carries its frames, so that carriers can be exchanged.

Two carriers pass the same tests: `transport_fast` (frames decoded in the transport's callback,
prebuilt frames written raw and corked) and `transport_plain` (the documented way of `websockets`,
a coroutine a connection). The setting `transport` chooses.

A carrier calls its receiver from the event loop only, and never again after `on_close`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from samedeal_protocol.errors import CloseCode
from samedeal_protocol.messages import ServerMessage

__all__ = ["Encode", "Framing", "Link", "Opener", "Receiver", "Wire"]

Encode = Callable[[ServerMessage], bytes]
Wire = Callable[[ServerMessage], bytes]
"""Turns a message into what `Link.write` takes: the same bytes for all links of an encoding."""
Framing = Callable[[Encode, bool], Wire]
"""Returns the wire for an encoder and whether its frames are text."""


class Link(Protocol):
    """One open WebSocket, as seen by its connection."""

    @property
    def address(self) -> str:
        """The address that the peer connected from."""
        ...

    @property
    def subprotocol(self) -> str:
        """The subprotocol that was negotiated."""
        ...

    def write(self, frames: Sequence[bytes]) -> int:
        """Hands frames over, in order and at once; returns how many bytes they were.

        Nothing happens when the link is closing.
        """
        ...

    def close(self, code: CloseCode) -> None:
        """Sends a close frame after what was written, and aborts if that takes too long."""
        ...

    def abort(self) -> None:
        """Cuts the link; what was not sent is lost."""
        ...


class Receiver(Protocol):
    """Who hears what comes in over a link."""

    def on_frame(self, payload: bytes, is_text: bool) -> None:
        """Takes one whole message, its fragments joined."""
        ...

    def on_clogged(self) -> None:
        """The peer does not read: more than the high-water mark is waiting to be sent."""
        ...

    def on_drained(self) -> None:
        """Most of what was waiting has been sent."""
        ...

    def on_close(self) -> None:
        """The link is gone, for whatever reason."""
        ...


Opener = Callable[[Link], Receiver]
"""Called for each link once its handshake is done."""
