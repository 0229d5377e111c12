"""A tournament of this node's: what is asked is decided, stored, folded and seen to, in that order.

Whoever asks waits in a line. All that waits is decided at once, one after the other, and appended
together; only then is it so. A large tournament is decided in a thread. When an append fails, what
was decided is forgotten, and the tournament is read again by the shelf.

The stream of a tournament is closed when nothing of it is left to do: no race, no news, no other
of its series to be announced. Until then a server that starts finds it among what is unfinished.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.tournament.events import (
    Announced,
    Appointed,
    Registered,
    TournamentEvent,
    to_line,
)
from samedeal_server.cups.cup import Cup
from samedeal_server.cups.steward import Steward
from samedeal_server.hosting import clockwork, errands
from samedeal_server.hosting.commands import Command, Given, Resumed, Tick
from samedeal_server.hosting.errands import Opening
from samedeal_server.hosting.tournament import State, decide, due, evolve, is_done, is_large
from samedeal_server.ports import Entry, LogUnavailable
from samedeal_server.racing.race import Race, Refused
from samedeal_server.refusals import fault_text
from samedeal_server.rooms.effects import Settled
from samedeal_server.rooms.hall import Hall
from samedeal_server.rooms.home import Ties

__all__ = ["Office", "Run", "changing_hands"]

_log = logging.getLogger(__name__)

WAITING: Final = 2_000
"""Commands that may wait in line."""
AGAIN_S: Final = 1.0
"""After how long the next of a series is announced that could not be."""
OVERDUE_MS: Final = 1_000
"""When something is looked at again that is due and has not happened yet."""


def changing_hands() -> Refused:
    """Returns what is answered while nobody can say how a tournament stands."""
    return Refused(ErrorCode.STORE_UNAVAILABLE, "the tournament is being read again; try once more")


@dataclass(frozen=True, slots=True)
class Office:
    """What a run needs of those around it."""

    hall: Hall
    ties: Ties
    went_on: Callable[[Run, State, Sequence[TournamentEvent]], None]
    """Is told from which state durable events have led a tournament on."""
    announce: Callable[[Announced], Awaitable[None]]
    """Has the next of a series announced; nothing happens if it is."""
    is_quiet: Callable[[str], bool]
    """Says whether everything was posted that a tournament's host wants to be posted."""
    closed: Callable[[Run], None]
    """Is told that the log takes nothing more of the tournament."""
    ratings: Callable[[State], Mapping[str, float]]
    """Returns the ratings by which a tournament seeds its players, by player id."""


@dataclass(slots=True)
class _Asked:
    """A command in line, and who waits for it."""

    command: Command
    done: asyncio.Future[int]


class Run:
    """A tournament that this node owns by the claim `epoch`."""

    def __init__(self, cup: Cup, office: Office, *, epoch: int) -> None:
        self.cup = cup
        self.epoch = epoch
        self.is_stopped = False
        self._office = office
        self._hall = office.hall
        self._spawn = office.ties.spawn
        self._line: deque[_Asked] = deque()
        self._is_working = False
        self._openings: dict[str, Opening] = {}
        self._stewards: dict[str, Steward] = {}
        self._stopped = 0
        """How many of the races that must not run have been seen to."""
        self._following: str | None = None
        """The next of the series, once it is announced."""
        self._is_announcing = False
        self._is_closing = False

    # --- what is asked -------------------------------------------------------------------------

    async def ask(self, command: Command) -> int:
        """Returns the seq of the tournament when the command has been carried out, durably.

        Raises:
            Refused: as the tournament does, or because too much is asked of it.
            LogUnavailable: it is unknown whether it was carried out.
        """
        if self.is_stopped:
            raise changing_hands()
        if len(self._line) >= WAITING:
            raise Refused(ErrorCode.STORE_UNAVAILABLE, "too much is asked of it now; try again")
        done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.put(command, done)
        return await done

    def put(self, command: Command, done: asyncio.Future[int] | None = None) -> None:
        """Puts a command in line, for which nobody has to wait."""
        if done is None:
            done = asyncio.get_running_loop().create_future()
            done.add_done_callback(_heed)
        self._line.append(_Asked(command, done))
        if not self._is_working:
            self._is_working = True
            self._spawn(self._work(), f"tournament {self.cup.id}")

    def stop(self) -> None:
        """Does nothing more: the tournament is another node's, or is read again."""
        self.is_stopped = True
        self._hall.wake(self.cup.id, None)
        for steward in self._stewards.values():
            steward.wake()
        if not self._is_working:
            self._turn_away()

    # --- what is wanted of races ---------------------------------------------------------------

    def opening(self, code: str) -> Opening | None:
        """Returns a race as it is to be open; None for one that must not run, or is reported."""
        return self._openings.get(code)

    def heard(self, race: Race) -> None:
        """A race of the tournament has gone on."""
        opening = self._openings.get(race.id)
        if opening is None or not opening.is_running or race.is_final:
            # Otherwise it was a move.
            self._wake(race.id)

    def tick(self) -> None:
        """Does what time demands."""
        state, now = self.cup.state, self._hall.clock.now()
        if clockwork.ripe(state, now):
            self.put(Tick())
        for opening in errands.muster_due(state, now):
            self._wake(opening.race)
        self._set_alarm()

    def see_to(self) -> None:
        """Has everything done that the state asks for; to be called whenever that may be more."""
        state = self.cup.state
        self._openings = {each.race: each for each in errands.openings(state)}
        dropped = errands.stopped(state)
        for code in (*self._openings, *dropped[self._stopped :]):
            if code not in self._stewards:
                steward = Steward(code, self, self._hall, ended=self._ended)
                self._stewards[code] = steward
                self._spawn(steward.work(), f"steward {code}")
        self._stopped = len(dropped)
        for steward in self._stewards.values():
            steward.wake()
        self._follow_up()
        self._set_alarm()
        self.close_if_done()

    # --- within --------------------------------------------------------------------------------

    async def _work(self) -> None:
        """Carries out what is in line."""
        try:
            while self._line and not self.is_stopped:
                batch = list(self._line)
                self._line.clear()
                await self._carry_out(batch)
        finally:
            self._is_working = False
            if self.is_stopped:
                self._turn_away()
            else:
                self.close_if_done()

    def _wake(self, race: str) -> None:
        steward = self._stewards.get(race)
        if steward is not None:
            steward.wake()

    def _turn_away(self) -> None:
        for asked in self._line:
            if not asked.done.done():
                asked.done.set_exception(changing_hands())
        self._line.clear()

    async def _carry_out(self, batch: Sequence[_Asked]) -> None:
        before = state = self.cup.state
        events: list[TournamentEvent] = []
        outcomes: list[int | Refused] = []
        for asked in batch:
            outcome: int | Refused = state.seq
            for command in self._in_turn(state, asked.command):
                caused = await self._decided(state, command)
                if isinstance(caused, Refused):
                    outcome = caused
                    continue
                for event in caused:
                    state = evolve(state, event)
                events += caused
                outcome = state.seq
            outcomes.append(outcome)
        try:
            if events:
                await self._append(before, events)
        except LogUnavailable as fault:
            for asked in batch:
                if not asked.done.done():
                    asked.done.set_exception(fault)
            return
        if events and self.cup.state is before:
            # Otherwise it was taken from us meanwhile, and read from the log.
            self.cup.became(state, events)
            self._office.went_on(self, before, events)
        for asked, outcome in zip(batch, outcomes, strict=True):
            if asked.done.done():
                continue
            if isinstance(outcome, Refused):
                asked.done.set_exception(outcome)
            else:
                asked.done.set_result(outcome)
        if events and not self.is_stopped:
            self.see_to()

    def _in_turn(self, state: State, command: Command) -> tuple[Command, ...]:
        """Returns the command, and before it a tick if something is due.

        What is due is so reckoned and kept once, and not again with each command that is refused.
        """
        if isinstance(command, Tick | Resumed) or not clockwork.ripe(state, self._hall.clock.now()):
            return (command,)
        return (Tick(), command)

    async def _decided(
        self, state: State, command: Command
    ) -> tuple[TournamentEvent, ...] | Refused:
        given = Given(chance=self._hall.seeds.salt(), ratings=self._office.ratings(state))
        now = self._hall.clock.now()
        try:
            if is_large(state):
                return await asyncio.to_thread(decide, state, command, now, given)
            return decide(state, command, now, given)
        except Refused as refused:
            return refused
        except Exception as fault:
            kind = type(command).__name__
            _log.error(
                "tournament failed code=%s command=%s fault=%s",
                self.cup.id, kind, fault_text(fault),
            )  # fmt: skip
            return Refused(ErrorCode.INTERNAL, ErrorCode.INTERNAL.meaning)

    async def _append(self, before: State, events: Sequence[TournamentEvent]) -> None:
        """Makes events durable; raises `LogUnavailable` when it is unknown whether they are."""
        code, log = self.cup.id, self._hall.log
        # First, so that nobody has registered who does not find the tournament again.
        await asyncio.gather(
            *(
                log.enter(event.id, code)
                for event in events
                if isinstance(event, Registered | Appointed)
            )
        )
        entries = [
            Entry(code, seq, to_line(event), self.epoch)
            for seq, event in enumerate(events, before.seq + 1)
        ]
        stored = Settled()
        self._hall.committer.add(code, entries, stored)
        await stored.future

    def _ended(self, steward: Steward) -> None:
        if self._stewards.get(steward.code) is steward:
            del self._stewards[steward.code]
        if not self.is_stopped:
            if steward.code in self._openings:
                # Wanted anew while it was about to end.
                self.see_to()
            else:
                self.close_if_done()

    def _set_alarm(self) -> None:
        if self.is_stopped:
            return
        instant, now = due(self.cup.state), self._hall.clock.now()
        if instant is not None and instant <= now:
            instant = now + OVERDUE_MS
        self._hall.wake(self.cup.id, instant)

    # --- the next of a series, and the end -----------------------------------------------------

    def _follow_up(self) -> None:
        announced = errands.follower(self.cup.state)
        if announced is None or self._is_announcing or self._following == announced.tournament:
            return
        self._is_announcing = True
        self._spawn(self._announce(announced), f"announce {announced.tournament}")

    async def _announce(self, announced: Announced) -> None:
        while not self.is_stopped:
            try:
                await self._office.announce(announced)
            except (Refused, LogUnavailable) as fault:
                _log.warning("not announced code=%s fault=%s", announced.tournament, fault)
                await asyncio.sleep(AGAIN_S)
            else:
                self._following = announced.tournament
                break
        self._is_announcing = False
        self.close_if_done()

    def close_if_done(self) -> None:
        """Closes the stream if nothing is left to do."""
        state = self.cup.state
        is_followed = state.next is None or self._following == state.next.next
        is_open = self._stewards or self._line or self._is_working or not is_followed
        if self.is_stopped or self._is_closing or is_open or not is_done(state):
            return
        if self._office.is_quiet(self.cup.id):
            self._is_closing = True
            self._spawn(self._close(), f"close {self.cup.id}")

    async def _close(self) -> None:
        stored = Settled()
        self._hall.committer.add(self.cup.id, (), stored, is_over=True)
        try:
            await stored.future
        except LogUnavailable:
            return
        self.cup.is_closed = True
        _log.info("tournament closed code=%s how=%s", self.cup.id, self.cup.state.phase.value)
        self._office.closed(self)


def _heed(done: asyncio.Future[int]) -> None:
    """Takes note of what became of something for which nobody waits."""
    if not done.cancelled():
        done.exception()
