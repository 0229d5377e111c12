"""How a refusal is put, and how a fault is written down without giving anything away."""

from __future__ import annotations

import traceback

from samedeal_protocol.errors import ErrorCode, Retry
from samedeal_protocol.messages import Error

__all__ = ["fault_text", "refusal"]

_AFTER_MS = 1000
"""How long to wait where nothing better is known."""


def refusal(
    code: ErrorCode,
    sentence: str | None = None,
    *,
    request: int | None,
    reason: str | None = None,
    after_ms: int | None = None,
) -> Error:
    """Returns the error message for `code`; without a sentence, the code's own meaning is told."""
    if code.retry is Retry.AFTER and after_ms is None:
        after_ms = _AFTER_MS
    return Error(
        id=request,
        code=code.code,
        message=sentence or code.meaning,
        reason=reason,
        retry=code.retry.value,
        after_ms=after_ms,
    )


def fault_text(fault: BaseException) -> str:
    """Returns what a fault was and where, but not what it said: that may name hidden cards."""
    lines = [type(fault).__name__]
    lines += [
        f"{frame.filename}:{frame.lineno} in {frame.name}"
        for frame in traceback.extract_tb(fault.__traceback__)
    ]
    return " < ".join(reversed(lines[1:])) + f" raised {lines[0]}" if lines[1:] else lines[0]
