"""The replies of one connection: exactly one to each request, whatever becomes of it."""

from __future__ import annotations

from collections.abc import Coroutine

from samedeal_protocol import messages
from samedeal_protocol.errors import ErrorCode
from samedeal_server.ports import LogConflict, LogUnavailable, Meter
from samedeal_server.racing.race import Refused
from samedeal_server.rooms.room import Room
from samedeal_server.rooms.viewers import RETRY_MS, Asker

__all__ = ["Errand", "Replies"]

Errand = Coroutine[None, None, None]


class Replies:
    """What requests are answered with; refusals are counted."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter

    def answer(self, asker: Asker, result: messages.Reply) -> None:
        """Answers at once, with what rests on nothing that is not durable."""
        asker.ok(result)
        asker.run()

    def refuse(
        self,
        asker: Asker,
        code: ErrorCode,
        sentence: str | None = None,
        *,
        reason: str | None = None,
        after_ms: int | None = None,
        room: Room | None = None,
    ) -> Errand | None:
        """Refuses, which leaves nothing to await."""
        self._meter.count("requests_refused")
        asker.error(code, sentence, reason=reason, after_ms=after_ms)
        if room is None:
            asker.run()
        else:
            room.answer(asker)
        return None

    async def safely(self, errand: Errand, asker: Asker) -> None:
        """Awaits an errand, and answers for it when it is refused or the store fails."""
        try:
            await errand
        except Refused as refused:
            self.refuse(asker, refused.code, refused.sentence, reason=refused.reason)
        except (LogUnavailable, LogConflict):
            self.refuse(asker, ErrorCode.STORE_UNAVAILABLE, after_ms=RETRY_MS)
