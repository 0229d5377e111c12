"""Something that is told as it happens, and whoever reads it: a race, or a tournament.

Readers of `events` miss nothing; readers of `changes` skip what they missed. Both end when what is
followed ends or is left, and raise what has broken it off.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator
from typing import Final, Generic, TypeVar

from .bell import Bell
from .errors import ClientError, FellBehind

__all__ = ["UNREAD_MAX", "Following"]

UNREAD_MAX: Final = 100_000
"""How many events an `events()` reader may leave unread."""

_M = TypeVar("_M")


class Following(ABC, Generic[_M]):
    """What is followed. Whoever inherits takes messages in and passes them to `_heard`."""

    def __init__(self) -> None:
        self._bell = Bell()
        self._version = 0
        self._failure: ClientError | None = None
        self._is_left = False
        self._readers: list[_Reader[_M]] = []

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Nothing more will happen."""

    @abstractmethod
    def _is_last(self, message: _M) -> bool:
        """Whether `events` end with this message."""

    # --- for whoever follows ----------------------------------------------------------------

    def events(self) -> AsyncIterator[_M]:
        """Yields everything that happens from this call on, each event once and in order.

        Ends after the last one, at once where it is over already, or when it is left. Raises
        `FellBehind` when more than `UNREAD_MAX` events wait unread, and what closed the hall when
        it is closed.
        """
        reader: _Reader[_M] = _Reader()
        self._readers.append(reader)
        return self._read(reader)

    async def _read(self, reader: _Reader[_M]) -> AsyncIterator[_M]:
        try:
            while True:
                if reader.unread:
                    message = reader.unread.popleft()
                    yield message
                    if self._is_last(message):
                        return
                elif reader.has_overrun:
                    raise FellBehind(f"more than {UNREAD_MAX} events were left unread")
                elif self._is_open() and not self.is_over:
                    await self._bell.wait()
                else:
                    return
        finally:
            self._readers.remove(reader)

    async def changes(self) -> AsyncIterator[None]:
        """Yields at once and then whenever something has changed, skipping what was missed.

        It goes on after the end (a rematch may open) and ends when it is left.
        """
        seen = -1
        while self._is_open():
            if seen == self._version:
                await self._bell.wait()
            else:
                seen = self._version
                yield

    # --- for the hall -----------------------------------------------------------------------

    def failed(self, failure: ClientError) -> None:
        """Ends the following: the server refused it, or the hall is closed."""
        self._failure = failure
        self._changed()

    def left(self) -> None:
        """Ends the following quietly: its context is left."""
        self._is_left = True
        self._changed()

    # --- inside -----------------------------------------------------------------------------

    def _heard(self, message: _M) -> None:
        """Passes a message that was taken in to the readers."""
        for reader in self._readers:
            if len(reader.unread) < UNREAD_MAX:
                reader.unread.append(message)
            else:
                reader.has_overrun = True
        self._changed()

    def _changed(self) -> None:
        self._version += 1
        self._bell.ring()

    def _is_open(self) -> bool:
        """Whether more can come. Raises what ended the following, if it was no leaving."""
        if self._failure is not None:
            raise self._failure
        return not self._is_left


class _Reader(Generic[_M]):
    """One `events()` iterator's unread events."""

    __slots__ = ("has_overrun", "unread")

    def __init__(self) -> None:
        self.unread: deque[_M] = deque()
        self.has_overrun = False
