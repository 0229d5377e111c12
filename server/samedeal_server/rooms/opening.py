"""How a race comes to be: its opening is stored, and whoever looks for it finds it.

People open races, so do tournaments and the calendar. The opening is the race's first event, so
that who opens the same one twice, or at two nodes, is told by the log that it is there.
"""

from __future__ import annotations

import logging
from typing import Final

from samedeal_protocol.events import Opened, to_line
from samedeal_server.ports import Entry, Log, Meter
from samedeal_server.racing.audience import is_listed

__all__ = ["store_opened"]

_log: Final = logging.getLogger(__name__)


async def store_opened(
    opened: Opened, log: Log, meter: Meter, *, phrase_hash: bytes | None = None
) -> None:
    """Stores a race's opening; durable when this returns.

    Raises:
        LogConflict: it is there, or cannot be.
        LogUnavailable: it is unknown whether it was stored.
    """
    await log.open_race(
        Entry(opened.race, 1, to_line(opened)),
        opened_at=opened.at,
        is_listed=is_listed(opened.terms),
        phrase_hash=phrase_hash,
    )
    meter.count("races_opened")
    by = opened.tournament or "-"
    _log.info("race opened race=%s game=%s tournament=%s", opened.race, opened.terms.game, by)
