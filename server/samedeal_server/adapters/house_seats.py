"""Who of the house sits where, in a file: a server that was killed has its bots back at once.

A pass phrase is not written down: a bot that comes back to its place is let in without one, and
into the rematch too.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from samedeal_protocol.bases import UNREADABLE
from samedeal_server.ports import Booking

__all__ = ["Seats"]

_log = logging.getLogger(__name__)


class _Seat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A bot that sits, and the secret by which it is known."""

    token: str
    by: str
    address: str = ""
    bot: str
    race: str
    pace_ms: int | None = None
    player: str | None = None


class Seats:
    """The file, which only its owner may read: tokens are secrets."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> list[tuple[Booking, str]]:
        """Returns who sat where, each with its token; nobody if that cannot be read."""
        try:
            seats = msgspec.json.decode(self._path.read_bytes(), type=list[_Seat])
        except FileNotFoundError:
            return []
        except (OSError, *UNREADABLE) as fault:
            _log.warning("the house's seats cannot be read path=%s reason=%s", self._path, fault)
            return []
        return [
            (
                Booking(
                    by=seat.by,
                    address=seat.address,
                    bot=seat.bot,
                    pace_ms=seat.pace_ms,
                    race=seat.race,
                    player=seat.player,
                ),
                seat.token,
            )
            for seat in seats
        ]

    def write(self, seats: Iterable[tuple[Booking, str]]) -> None:
        """Writes down who sits where, whole or not at all; a full disk costs no bot its race."""
        kept = [
            _Seat(
                token=token,
                by=booking.by,
                address=booking.address,
                bot=booking.bot,
                race=booking.race,
                pace_ms=booking.pace_ms,
                player=booking.player,
            )
            for booking, token in seats
        ]
        draft = self._path.with_name(f"{self._path.name}.new")
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            with os.fdopen(os.open(draft, flags, 0o600), "wb") as file:
                file.write(msgspec.json.encode(kept))
            draft.replace(self._path)
        except OSError as fault:
            _log.warning("the house's seats cannot be kept path=%s reason=%s", self._path, fault)
