"""Points, times and sums as people read them: `2½`, `1:02.345`, `1 + ½ = 1½`."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

__all__ = ["clock", "said", "summed"]


_SIGNS = {Fraction(1, 4): "¼", Fraction(1, 2): "½", Fraction(3, 4): "¾"}


def said(number: Fraction | int) -> str:
    """Returns a whole number, with quarters as `3¼`, `3½`, `3¾`, other fractions as `3 1/3`."""
    number = Fraction(number)
    whole, part = divmod(number, 1)
    if not part:
        return str(whole)
    if sign := _SIGNS.get(part):
        return f"{whole or ''}{sign}"
    text = f"{part.numerator}/{part.denominator}"
    return f"{whole} {text}" if whole else text


def clock(ms: int) -> str:
    """Returns minutes, seconds and milliseconds."""
    minutes, rest = divmod(ms, 60_000)
    return f"{minutes}:{rest // 1000:02}.{rest % 1000:03}"


def summed(terms: Iterable[str], total: str) -> str:
    """Returns `a + b = total`; just the total where there is nothing to add."""
    listed = list(terms)
    return f"{' + '.join(listed)} = {total}" if listed else total
