"""The head of a request, which is all that is read of one.

To `websockets` whatever follows a head is a frame, and it takes no request that says it has a body.
A page needs none, and its connection is closed after it (RFC 9112, 9.6): so what a head says of a
body is left out, and what follows it, a body or the next request, is passed over.
"""

from __future__ import annotations

from typing import Final

from websockets.http11 import Request

__all__ = ["Head", "is_upgrade"]

LONGEST: Final = 8192
"""Bytes of a line that has not ended from which the library is to judge it: that is its limit."""
_OF_A_BODY: Final = (b"content-length", b"transfer-encoding")


class Head:
    """The lines of one head, as they come."""

    def __init__(self) -> None:
        self.is_whole = False
        """Whether its last line, the empty one, was there."""
        self.is_passed = False
        """Whether something came behind it."""
        self._line = b""

    def take(self, data: bytes) -> bytes:
        """Takes what has come and returns what is new of the head, in whole lines."""
        if self.is_whole:
            self.is_passed = self.is_passed or bool(data)
            return b""
        data, begin, kept = self._line + data, 0, list[bytes]()
        while not self.is_whole and (end := data.find(b"\n", begin) + 1):
            line, begin = data[begin:end], end
            self.is_whole = not line.strip(b"\r\n")
            if line.partition(b":")[0].lower() not in _OF_A_BODY:
                kept.append(line)
        self._line = b"" if self.is_whole else data[begin:]
        self.is_passed = self.is_whole and begin < len(data)
        if len(self._line) > LONGEST:
            kept.append(self._line)
            self._line = b""
        return b"".join(kept)


def is_upgrade(request: Request) -> bool:
    """Says whether the request asks for a WebSocket."""
    return any("websocket" in value.lower() for value in request.headers.get_all("Upgrade"))
