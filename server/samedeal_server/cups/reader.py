"""Tournaments as people read them: in lists, whole, and as standings.

Those of other nodes are read on in the log first: the player may have seen more of them over
another node. What takes a large tournament long is done in a thread.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from functools import partial
from typing import Final

from samedeal_protocol.tournament.views import TournamentCard, TournamentSheet, TournamentTable
from samedeal_server.cups.cup import Cup
from samedeal_server.cups.shelf import Shelf
from samedeal_server.hosting import view
from samedeal_server.hosting.state import State
from samedeal_server.hosting.tournament import is_large
from samedeal_server.ports import RaceRow
from samedeal_server.racing.race import Refused
from samedeal_server.rooms.hall import Hall

__all__ = ["Reader"]

LISTED: Final = 100
"""Tournaments in a list at most, the newest."""
SHOWN: Final = 1_000
"""Cards of tournaments that are over are kept, so many."""
FRESH_MS: Final = 1_000
"""For how long a card of another node's tournament is good."""
FOR_EVER: Final = 2**63


class Reader:
    """Reads any tournament, wherever it is run."""

    def __init__(self, hall: Hall, shelf: Shelf) -> None:
        self._log = hall.log
        self._clock = hall.clock
        self._shelf = shelf
        self._cards: OrderedDict[str, tuple[int, TournamentCard]] = OrderedDict()
        """Of those that are not run here, and until when they are good."""

    async def newest(self, code: str) -> Cup:
        """Returns a tournament as it stands now; raises `Refused` and `LogUnavailable`."""
        cup = await self._shelf.find(code)
        await self._shelf.catch_up(cup)
        return cup

    async def cards(self, *, of: str | None, over: bool) -> tuple[TournamentCard, ...]:
        """Returns those that are over or those that are not: of a player, or the listed ones.

        Raises `LogUnavailable`.
        """
        if of is None:
            rows = await self._log.cups(over=over, limit=LISTED)
        else:
            rows = await self._log.cups_of(of, over=over, limit=LISTED)
        cards = [await self._card(row) for row in rows]
        return tuple(card for card in cards if card is not None)

    async def sheet(self, state: State, viewer: str) -> TournamentSheet:
        """Returns all of a tournament as the player of that id may see it; "" for a stranger."""
        now = self._clock.now()
        if is_large(state):
            return await asyncio.to_thread(view.sheet, state, viewer, now)
        return view.sheet(state, viewer, now)

    async def table(self, cup: Cup) -> TournamentTable:
        """Returns the standings of a tournament, once it is over with the chain's end of its log.

        Raises `LogUnavailable`.
        """
        reckon = cup.table
        if cup.state.is_final:
            lines = () if cup.is_sealed else await self._log.read(cup.id)
            reckon = partial(cup.sealed, lines)
        return await asyncio.to_thread(reckon) if is_large(cup.state) else reckon()

    async def _card(self, row: RaceRow) -> TournamentCard | None:
        """Returns a tournament as one of a list; None if it cannot be read now."""
        code, now = row.race, self._clock.now()
        if code in self._shelf.runs:
            return view.card(self._shelf.runs[code].cup.state)
        until, card = self._cards.get(code, (0, None))
        if card is not None and now < until:
            return card
        try:
            cup = await self.newest(code)
        except Refused:
            return None
        card = view.card(cup.state)
        if code not in self._shelf.runs:
            self._cards[code] = (FOR_EVER if row.is_over else now + FRESH_MS), card
            self._cards.move_to_end(code)
            while len(self._cards) > SHOWN:
                self._cards.popitem(last=False)
        return card
