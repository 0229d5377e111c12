"""Points, times and sums as people read them: `2½`, `1:02.345`, `1 + ½ = 1½`."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

__all__ = ["clock", "said", "summed"]


def said(number: Fraction | int) -> str:
    """Returns a whole number, a half as ½, other fractions as `3 1/3`."""
    number = Fraction(number)
    whole, part = divmod(number, 1)
    if not part:
        return str(whole)
    text = "½" if part == Fraction(1, 2) else f"{part.numerator}/{part.denominator}"
    if not whole:
        return text
    return f"{whole}½" if text == "½" else f"{whole} {text}"


def clock(ms: int) -> str:
    """Returns minutes, seconds and milliseconds."""
    minutes, rest = divmod(ms, 60_000)
    return f"{minutes}:{rest // 1000:02}.{rest % 1000:03}"


def summed(terms: Iterable[str], total: str) -> str:
    """Returns `a + b = total`; just the total where there is nothing to add."""
    listed = list(terms)
    return f"{' + '.join(listed)} = {total}" if listed else total
