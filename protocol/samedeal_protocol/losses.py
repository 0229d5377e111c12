"""What the end of a connection means: whether to come back, how soon, and why it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from samedeal_protocol.errors import CloseCode, Retry

__all__ = ["Loss", "loss"]


@dataclass(frozen=True, slots=True)
class Loss:
    """What the end of a connection means: whether to come back, how soon, and why it ended."""

    retry: Retry
    reason: str
    code: int | None


# What WebSocket itself and proxies say (RFC 6455 section 7.4.1 and the IANA registry).
_COMMON: Final = {
    1000: (Retry.NOW, "the server closed the connection"),
    1001: (Retry.NOW, "the server went away"),
    1005: (Retry.NOW, "the connection was closed without a reason"),
    1006: (Retry.NOW, "the connection was lost"),
    1011: (Retry.AFTER, "the server failed"),
    1012: (Retry.AFTER, "the server restarts"),
    1013: (Retry.AFTER, "the server is too busy"),
    1014: (Retry.AFTER, "a proxy lost the server"),
}


def loss(code: int | None) -> Loss:
    """Says what a close code means. None stands for a connection that just broke.

    A code that nobody here has heard of forbids coming back: a newer server may mean that.
    """
    for known in CloseCode:
        if known.number == code:
            return Loss(known.retry, known.meaning.rstrip("."), code)
    retry, reason = _COMMON.get(
        1006 if code is None else code, (Retry.NEVER, f"the server closed with code {code}")
    )
    return Loss(retry, reason, code)
