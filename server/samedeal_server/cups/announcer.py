"""How tournaments are announced: the host's limit, a new code, and the first line in the log."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Final

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.terms import Visibility
from samedeal_protocol.tournament.events import Announced, to_line
from samedeal_protocol.tournament.terms import TournamentTerms
from samedeal_server.cups.shelf import Shelf
from samedeal_server.cups.turns import Turns
from samedeal_server.hosting.codes import new_code
from samedeal_server.hosting.commands import Person
from samedeal_server.hosting.tournament import announce
from samedeal_server.ports import Entry, LogConflict
from samedeal_server.racing.race import Refused
from samedeal_server.rooms.hall import Hall
from samedeal_server.rooms.phrases import hashed_phrase

__all__ = ["Announcer"]

_log = logging.getLogger(__name__)

ALL: Final = 1_000_000
"""More tournaments than anybody is in."""
HOSTED: Final = 20
"""Tournaments that one player may host at a time."""


class Announcer:
    """Announces tournaments on this node."""

    def __init__(self, hall: Hall, shelf: Shelf) -> None:
        self._hall = hall
        self._shelf = shelf
        self._announcing = Turns()
        """By host, who would else pass the limit with several at a time."""

    async def announce(self, host: Person, terms: TournamentTerms, *, phrase: str | None) -> str:
        """Announces a tournament; returns its code. Durable when this returns.

        Raises:
            Refused: with the reason.
            LogUnavailable: it is unknown whether it was stored.
        """
        seeds = self._hall.seeds
        if self._hall.is_draining:
            raise Refused(ErrorCode.DRAINING, "the server is about to restart: try again soon")
        async with self._announcing.of(host.id):
            await self._check_hosting(host)
            kept = ""
            if phrase is not None:
                kept = hashed_phrase(phrase, bytes.fromhex(seeds.salt())).hex()
            announced = announce(
                tournament=new_code(seeds.salt()),
                terms=terms,
                seed=seeds.seed(),
                salt=seeds.salt(),
                host=host,
                phrase_hash=kept,
                now=self._hall.clock.now(),
            )
            await self._store(announced)
        await self._shelf.find(announced.tournament)
        return announced.tournament

    async def announce_once(self, announced: Announced) -> None:
        """Announces the next of a series, unless it is; raises `Refused` and `LogUnavailable`."""
        with suppress(LogConflict):
            await self._store(announced)
        await self._shelf.find(announced.tournament)

    # --- within --------------------------------------------------------------------------------

    async def _store(self, announced: Announced) -> None:
        code, log = announced.tournament, self._hall.log
        people = (announced.host, *(id for id, _, _ in announced.staff))
        await asyncio.gather(
            log.open_race(
                Entry(code, 1, to_line(announced)),
                opened_at=announced.at,
                is_listed=announced.terms.visibility is Visibility.PUBLIC,
                phrase_hash=None,
            ),
            *(log.enter(player, code) for player in people),
        )
        _log.info("tournament announced code=%s host=%s", code, announced.host)

    async def _check_hosting(self, host: Person) -> None:
        """Raises `Refused` if somebody hosts too many tournaments that are not over."""
        hosted = 0
        for row in await self._hall.log.cups_of(host.id, over=False, limit=ALL):
            cup = await self._shelf.find(row.race)
            hosted += cup.state.announced.host == host.id and not cup.state.is_final
        if hosted >= HOSTED:
            raise Refused(
                ErrorCode.TOO_MANY_TOURNAMENTS,
                f"you host {hosted} tournaments that are not over: call one off first",
            )
