"""What is posted to the URLs of tournaments' hosts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

__all__ = ["Fate", "Health", "Hook", "Hooks"]


class Fate(Enum):
    """What became of something posted."""

    DELIVERED = "delivered"
    GIVEN_UP = "given-up"
    """It was tried for a day."""
    GONE = "gone"
    """The receiver wants nothing more, ever: the hook is to be taken away."""


@dataclass(frozen=True, slots=True)
class Hook:
    """Where news is posted. URL and secret are the host's alone: neither stands in `repr`."""

    url: str = field(repr=False)
    secret: str = field(repr=False)
    """What is posted is signed with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How it goes with a hook."""

    waiting: int = 0
    """How much waits, or is under way."""
    failures: int = 0
    """How many attempts have failed since the last that did not."""
    said: str = ""
    """What the last one came to, in words for the host."""


class Hooks(Protocol):
    """What is posted to hosts' URLs, at least once each, as long as this process lives.

    What waits is in memory only: whoever posts goes on, after a restart, from what was not settled,
    with the same ids. By them receivers drop what they have already.
    """

    def secret(self) -> str:
        """Returns a new hook's secret."""
        ...

    def fault(self, url: str) -> str | None:
        """Says why nothing can be posted to a URL and what to do, or None; connects to nothing."""
        ...

    def post(
        self, hook: Hook, id: str, payload: bytes, *, settled: Callable[[Fate, str], None]
    ) -> bool:
        """Hands over and returns at once; False when too much waits, and `settled` is not called.

        The id is letters, digits, `_` and `-`, another for everything posted. The payload is JSON.
        `settled(fate, said)` is called once, later, unless the hook is forgotten; it may not raise.
        """
        ...

    def forget(self, hook: Hook) -> None:
        """Drops what waits for the hook."""
        ...

    def health(self, hook: Hook) -> Health: ...
