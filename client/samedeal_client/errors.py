"""Everything that the library raises on purpose.

ClientError
├── Refused               the server said no: `code` and `sentence` say why
│   └── IllegalMove       the rules refuse the move: `reason` is the rules core's own code
├── TakenBack             a move was to follow one that was refused, and so was not played
├── OutcomeUnknown        the connection broke after a request that must not be sent twice
├── FellBehind            a reader of `events()` left too much unread
└── Closed                the hall is closed; nothing more can be asked
    ├── GaveUpConnecting  no connection came about within the patience given
    └── Replaced          a newer connection of the same player took over; do not come back
"""

from __future__ import annotations

from typing import TypeVar

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.messages import Error

__all__ = [
    "ClientError",
    "Closed",
    "FellBehind",
    "GaveUpConnecting",
    "IllegalMove",
    "OutcomeUnknown",
    "Refused",
    "Replaced",
    "TakenBack",
    "expect",
    "refusal",
]


_T = TypeVar("_T")


class ClientError(Exception):
    """The base of the library's exceptions; its text is a sentence that a person can act on."""


class Refused(ClientError):
    """The request was refused and changed nothing.

    `code` and `retry` ("never", "now", "after") are the protocol's; `after_ms` goes with "after".
    """

    def __init__(
        self,
        code: str,
        sentence: str,
        *,
        retry: str = "never",
        after_ms: int | None = None,
        reason: str | None = None,
    ) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.retry = retry
        self.after_ms = after_ms
        self.reason = reason


class IllegalMove(Refused):
    """The rules refuse the move. The board is as it was, and the move's number is still free."""


class TakenBack(ClientError):
    """The move was to follow another that was refused, and so was not played either."""


class OutcomeUnknown(ClientError):
    """The connection broke between a request and its reply, and asking twice would do it twice."""


class FellBehind(ClientError):
    """More events waited unread than an `events()` reader may leave; take a new one."""


class Closed(ClientError):
    """The hall is closed: by its own `async with`, or by the server for good.

    `code` is the WebSocket close code, if the server gave one.
    """

    def __init__(self, sentence: str, *, code: int | None = None) -> None:
        super().__init__(sentence)
        self.code = code


class GaveUpConnecting(Closed):
    """Nobody answered at the address for as long as `patience` allowed."""


class Replaced(Closed):
    """A newer connection of the same player took over."""


def refusal(error: Error) -> Refused:
    """Returns the exception for the server's `error`."""
    kind = IllegalMove if error.code == ErrorCode.ILLEGAL_MOVE.code else Refused
    return kind(
        error.code,
        error.message,
        retry=error.retry,
        after_ms=error.after_ms,
        reason=error.reason,
    )


def expect(kind: type[_T], reply: object) -> _T:
    """Returns the reply if it is of that kind; raises `ClientError` if it is not."""
    if isinstance(reply, kind):
        return reply
    raise ClientError(f"the server answered with {type(reply).__name__}, not {kind.__name__}")
