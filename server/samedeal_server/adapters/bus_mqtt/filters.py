"""Which patterns to ask a broker for, so that it sends each message once.

A broker may send a message once for every subscription that covers it. So we never hold two that
have a topic in common: such two become one that covers both. Dispatching by the patterns that were
really asked for is done here, on arrival.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import zip_longest

from samedeal_server.adapters.bus_local import is_exact

__all__ = ["Interests", "disjoint", "overlap"]


class Interests:
    """The patterns that somebody wants, and the filters to ask a broker for."""

    def __init__(self) -> None:
        self._wanted: Counter[str] = Counter()
        self.wide: frozenset[str] = frozenset()
        """Those of the filters that have wildcards."""

    def __contains__(self, pattern: str) -> bool:
        return pattern in self._wanted

    def add(self, pattern: str) -> None:
        self._wanted[pattern] += 1
        if self._wanted[pattern] == 1:
            self._changed(pattern)

    def remove(self, pattern: str) -> None:
        self._wanted[pattern] -= 1
        if not self._wanted[pattern]:
            del self._wanted[pattern]
            self._changed(pattern)

    def filter_of(self, pattern: str) -> str:
        """Returns the filter that brings what a wanted pattern covers."""
        return next((wide for wide in self.wide if overlap(wide, pattern)), pattern)

    def filters(self) -> frozenset[str]:
        """Returns all filters; no two have a topic in common."""
        return frozenset(map(self.filter_of, self._wanted))

    def _changed(self, pattern: str) -> None:
        if not is_exact(pattern):
            self.wide = disjoint(each for each in self._wanted if not is_exact(each))


def disjoint(patterns: Iterable[str]) -> frozenset[str]:
    """Returns patterns of which no two have a topic in common, and which cover all the given."""
    chosen: list[str] = []
    for pattern in patterns:
        wider = pattern
        # A wider pattern may overlap one that the narrower did not: look again with it.
        while met := [each for each in chosen if overlap(each, wider)]:
            for each in met:
                chosen.remove(each)
                wider = _joined(each, wider)
        chosen.append(wider)
    return frozenset(chosen)


def overlap(one: str, other: str) -> bool:
    """Says whether some topic is covered by both patterns."""
    for left, right in zip_longest(one.split("/"), other.split("/")):
        if "#" in (left, right):
            return True
        if left is None or right is None:
            # One is longer, and only `a/#` covers `a` too.
            return False
        if left != right and "+" not in (left, right):
            return False
    return True


def _joined(one: str, other: str) -> str:
    """Returns the narrowest pattern that covers whatever either covers."""
    levels: list[str] = []
    for left, right in zip_longest(one.split("/"), other.split("/")):
        if "#" in (left, right) or left is None or right is None:
            levels.append("#")
            break
        levels.append(left if left == right else "+")
    return "/".join(levels)
