"""The tournaments in memory: found, read from the log, claimed, lost and read again.

One reading of a tournament is under way at a time; whoever wants it meanwhile waits for it. Those
of other nodes and those that are over stay in memory while somebody follows them, and a little
longer. This node's own stay until they are closed.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.tournament.events import TournamentEvent, parse_line
from samedeal_server.cups.cup import Cup
from samedeal_server.cups.run import Office, Run
from samedeal_server.cups.turns import Turns
from samedeal_server.hosting.codes import is_cup
from samedeal_server.hosting.commands import Resumed, Tick
from samedeal_server.hosting.tournament import replay
from samedeal_server.ports import Claim, LogUnavailable
from samedeal_server.racing.race import Refused
from samedeal_server.refusals import fault_text
from samedeal_server.rooms.hall import Hall

__all__ = ["Shelf"]

_log = logging.getLogger(__name__)

RESTING: Final = 64
"""Tournaments that nobody follows, and that are not this node's, but still in memory."""
REREAD_S: Final = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
"""How long to wait between attempts to read a lost tournament again."""


class Shelf:
    """All that are in memory, and which of them are run here."""

    def __init__(
        self,
        hall: Hall,
        office: Office,
        *,
        took_up: Callable[[Run, Sequence[TournamentEvent]], None],
        lost: Callable[[str], None],
    ) -> None:
        """`took_up` is told a tournament that has come to be run here, and its whole log; `lost`
        one that is run here no more, though it is not closed."""
        self.cups: dict[str, Cup] = {}
        self.runs: dict[str, Run] = {}
        self._hall = hall
        self._office = office
        self._took_up = took_up
        self._lost = lost
        self._spawn = office.ties.spawn
        self._reading = Turns()
        self._resting: OrderedDict[str, None] = OrderedDict()

    async def find(self, code: str) -> Cup:
        """Returns a tournament, read from the log if need be.

        Raises:
            Refused: no-such-tournament, or store-unavailable while it changes hands.
            LogUnavailable: the log cannot be read.
        """
        cup = self.cups.get(code)
        if cup is None:
            async with self._reading.of(code):
                cup = self.cups.get(code)
                if cup is None:
                    cup = await self._read_on(code, await self._tenure(code))
        self.rest(cup)
        return cup

    async def take_up(self, claim: Claim) -> None:
        """Has a tournament that was claimed go on here; raises `LogUnavailable`."""
        code = claim.race
        try:
            async with self._reading.of(code):
                self._stop(code)
                await self._read_on(code, claim)
        except LogUnavailable:
            raise
        except Exception as fault:
            _log.error("tournament unreadable code=%s fault=%s", code, fault_text(fault))

    async def catch_up(self, cup: Cup) -> tuple[TournamentEvent, ...]:
        """Reads on in a tournament that is not run here; returns what is new.

        Raises `LogUnavailable`.
        """
        if cup.id in self.runs or cup.is_closed:
            return ()
        first = cup.state.seq + 1
        lines = await self._hall.log.read(cup.id, after=first - 1)
        return () if cup.id in self.runs else cup.hear(first, lines)

    def lose(self, codes: set[str]) -> None:
        """Runs these no more before it is read whose they are; their followers stay."""
        for code in codes:
            run = self.runs.get(code)
            if run is not None:
                self._stop(code)
                self._spawn(self._read_anew(run), f"reread {code}")

    def seek(self, cup: Cup) -> None:
        """Has it found out whose a tournament is whose owner does not answer."""
        if cup.id not in self.runs and cup.id not in self._reading:
            self._spawn(self._seek(cup), f"seek {cup.id}")

    def closed(self, run: Run) -> None:
        """Lets go of a tournament that the log takes nothing more of."""
        if self.runs.get(run.cup.id) is run:
            del self.runs[run.cup.id]
            run.stop()
        self.rest(run.cup)

    def rest(self, cup: Cup) -> None:
        """Lets a tournament that nobody needs go from memory in time."""
        self._resting[cup.id] = None
        self._resting.move_to_end(cup.id)
        while len(self._resting) > RESTING:
            code, _ = self._resting.popitem(last=False)
            resting = self.cups.get(code)
            if resting is not None and code not in self.runs and not len(resting.crowd):
                del self.cups[code]

    def stop_all(self) -> None:
        """Runs nothing any more."""
        for code in list(self.runs):
            self._stop(code)

    # --- within --------------------------------------------------------------------------------

    async def _read_anew(self, lost: Run) -> None:
        """Goes on with a tournament that was lost, here or following another node."""
        code = lost.cup.id
        async with self._reading.of(code):
            for attempt in itertools.count():
                if code in self.runs:
                    return
                try:
                    await self._hall.settled(code)
                    await self._read_on(code, await self._tenure(code), after=lost)
                    return
                except (Refused, LogUnavailable):
                    await asyncio.sleep(REREAD_S[min(attempt, len(REREAD_S) - 1)])
                except Exception as fault:
                    _log.error("tournament unreadable code=%s fault=%s", code, fault_text(fault))
                    return

    async def _seek(self, cup: Cup) -> None:
        try:
            async with self._reading.of(cup.id):
                if cup.id not in self.runs:
                    await self._read_on(cup.id, await self._tenure(cup.id))
        except (Refused, LogUnavailable) as fault:
            _log.debug("tournament not found code=%s fault=%s", cup.id, fault)

    async def _tenure(self, code: str) -> Claim | tuple[str, int] | None:
        """Returns this node's claim to a tournament, or whose it is; None for a closed one."""
        row = await self._hall.log.race(code) if is_cup(code) else None
        if row is None:
            raise Refused(ErrorCode.NO_SUCH_TOURNAMENT, "no tournament has this code")
        return None if row.is_over else await self._hall.federation.tenure.of(code)

    async def _read_on(
        self, code: str, tenure: Claim | tuple[str, int] | None, *, after: Run | None = None
    ) -> Cup:
        """Reads a tournament, as new or on, and has it go on here if that is whose it is.

        `after` is the run that it was lost from; a claim that comes right after its own says that
        nobody else has had it meanwhile.
        """
        # Not before it is known whose it is: whoever had it may have appended until now.
        lines = await self._hall.log.read(code)
        cup = self.cups.get(code)
        if cup is None:
            cup = self.cups[code] = Cup(replay(map(parse_line, lines)))
        else:
            first = cup.state.seq + 1
            cup.hear(first, lines[first - 1 :])
        cup.is_closed = tenure is None
        cup.owner = tenure if isinstance(tenure, tuple) else None
        if isinstance(tenure, Claim):
            run = self.runs[code] = Run(cup, self._office, epoch=tenure.epoch)
            self._took_up(run, list(map(parse_line, lines)))
            run.see_to()
            has_stood_still = after is None or tenure.epoch != after.epoch + 1
            if has_stood_still and tenure.since is not None:
                run.put(Resumed(since=tenure.since))
            else:
                run.put(Tick())
        self.rest(cup)
        return cup

    def _stop(self, code: str) -> None:
        run = self.runs.pop(code, None)
        if run is not None:
            run.stop()
            self._lost(code)
