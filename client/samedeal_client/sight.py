"""A race as one connection knows it, kept up to date; what its viewer, and its host, can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from samedeal_protocol.messages import (
    Cancel,
    Cancelled,
    Chat,
    ChatLine,
    ClientMessage,
    Disqualify,
    EntrantView,
    HouseBot,
    InviteBot,
    Over,
    Played,
    RaceEvent,
    Snapshot,
    Standing,
    Start,
)
from samedeal_protocol.terms import Terms
from samedeal_rules.notation import Position

from .errors import OutcomeUnknown
from .following import Following
from .scene import Scene
from .turns import Asking

__all__ = ["Happening", "Port", "Sight", "Watch"]

Happening: TypeAlias = RaceEvent | Played | Snapshot
"""What `events()` yields. `Played` is the entrant's own move; a `Snapshot` replaces everything."""


class Port(Asking, Protocol):
    """What a race needs of the hall that it was joined in."""

    def now_ms(self) -> float:
        """Returns milliseconds by a clock that never goes back."""
        ...

    def refresh(self, race: str) -> None:
        """Asks for a snapshot of the race."""
        ...

    async def rematch(self, race: str) -> str: ...


class Sight(Following[Happening]):
    """What this connection may know of a race, kept up to date. `Run` and `Watch` are the two."""

    def __init__(self, port: Port, snapshot: Snapshot) -> None:
        super().__init__()
        self._port = port
        self._scene = Scene.of(snapshot, port.now_ms())

    # --- what is known ----------------------------------------------------------------------

    @property
    def race(self) -> str:
        """The race's code."""
        return self._scene.race

    @property
    def terms(self) -> Terms:
        """What the race is run under."""
        return self._scene.terms

    @property
    def phase(self) -> str:
        """open, countdown, running, over, cancelled."""
        return self._scene.phase

    @property
    def is_over(self) -> bool:
        """The race is over or cancelled."""
        return self._scene.is_over

    @property
    def reason(self) -> str:
        """Why the race was cancelled, or why its countdown stopped."""
        return self._scene.reason

    @property
    def host(self) -> str:
        """The host's name."""
        return self._scene.host

    @property
    def commitment(self) -> str:
        """SHA-256 of seed and salt, shown before the start."""
        return self._scene.commitment

    @property
    def is_host(self) -> bool:
        """The viewer is the race's host, by whatever name they go now."""
        return self._scene.hosting

    @property
    def tournament(self) -> str | None:
        """The code of the tournament whose race it is, if of any."""
        return self._scene.tournament

    @property
    def seeded(self) -> bool:
        """The host named the seed, and so may know the deal."""
        return self._scene.seeded

    @property
    def entrants(self) -> Mapping[int, EntrantView]:
        """By entrant number, as far as this viewer may know; for boards see `board`."""
        return self._scene.entrants

    @property
    def standings(self) -> tuple[Standing, ...]:
        """The result, once the race is over."""
        return self._scene.standings

    @property
    def said(self) -> tuple[ChatLine, ...]:
        """The newest of what was said, the oldest first."""
        return self._scene.chat

    @property
    def seed(self) -> str | None:
        """The deal's seed, once the race is over."""
        return self._scene.seed

    @property
    def salt(self) -> str | None:
        """The commitment's salt, once the race is over."""
        return self._scene.salt

    @property
    def rematch_race(self) -> str | None:
        """The code of the rematch, once somebody has asked for one."""
        return self._scene.rematch

    @property
    def doubts(self) -> int:
        """How often what was known disagreed with what was told, so that a snapshot was needed."""
        return self._scene.doubts

    @property
    def starts_in_ms(self) -> int | None:
        """How long until the start, during a countdown."""
        return self._scene.starts_in_ms(self._port.now_ms())

    @property
    def elapsed_ms(self) -> int | None:
        """How long the own clock (a spectator: the race's) has run."""
        return self._scene.elapsed_ms(self._port.now_ms())

    @property
    def closes_in_ms(self) -> int | None:
        """How long until an async race closes."""
        return self._scene.closes_in_ms(self._port.now_ms())

    def board(self, entrant: int) -> Position | None:
        """Returns an entrant's board as far as this viewer may see it."""
        mirror = self._scene.board(entrant)
        return None if mirror is None else mirror.position

    @property
    def you_are(self) -> int | None:
        """The viewer's own entrant number, if they are one."""
        return self._scene.you

    # --- what happens -----------------------------------------------------------------------

    async def over(self) -> tuple[Standing, ...]:
        """Waits until the race is over or cancelled; returns the standings."""
        while not self.is_over and self._is_open():
            await self._bell.wait()
        return self.standings

    # --- what one can do --------------------------------------------------------------------

    async def chat(self, text: str) -> None:
        """Says something to everybody in the race. Raises `OutcomeUnknown` at a broken link."""
        await self._port.ask(lambda id: Chat(id=id, race=self.race, text=text))

    async def rematch(self) -> str:
        """Opens the rematch, or finds the one that is open; returns its code."""
        return await self._port.rematch(self.race)

    # What the host can do, whether they race or watch; a bot, everybody who races as well.

    async def start(self) -> None:
        """Begins the countdown: the host's, where the terms leave the start to the host."""
        await self._once(
            lambda id: Start(id=id, race=self.race),
            lambda: self.phase not in ("open", "cancelled"),
        )

    async def invite_bot(
        self,
        bot: HouseBot | str = HouseBot.GREEDY,
        *,
        pace_ms: int | None = None,
        phrase: str | None = None,
    ) -> None:
        """Has one of the server's own bots enter the race: random, greedy or patient.

        It comes a moment later and is ready at once. `pace_ms` is about how long it takes over a
        move; `phrase` is the race's pass phrase, if it has one. Raises ValueError for another bot,
        `Refused`, and `OutcomeUnknown` where the connection broke before the answer.
        """
        which = HouseBot(bot)
        await self._port.ask(
            lambda id: InviteBot(id=id, race=self.race, bot=which, pace_ms=pace_ms, phrase=phrase)
        )

    async def cancel(self) -> None:
        """Calls the race off, before the start: the host's."""
        await self._once(lambda id: Cancel(id=id, race=self.race), lambda: self.is_over)

    async def disqualify(self, entrant: int, *, reason: str = "") -> None:
        """Takes an entrant out of the running race: the host's."""
        await self._once(
            lambda id: Disqualify(id=id, race=self.race, entrant=entrant, reason=reason),
            lambda: self.entrants[entrant].state not in ("entered", "ready", "racing"),
        )

    # --- for the hall -----------------------------------------------------------------------

    def told(self, message: Happening) -> None:
        """Takes in what the server said."""
        if self._scene.apply(message, self._port.now_ms()):
            self._port.refresh(self.race)
        self._heard(message)

    def _is_last(self, message: Happening) -> bool:
        return isinstance(message, Over | Cancelled)

    # --- inside -----------------------------------------------------------------------------

    async def _fresh(self) -> None:
        """Waits for the next snapshot."""
        count = self._scene.snapshots
        self._port.refresh(self.race)
        while self._scene.snapshots == count and self._is_open():
            await self._bell.wait()

    async def _once(
        self, make: Callable[[int], ClientMessage], is_done: Callable[[], bool]
    ) -> None:
        """Asks for what must not be asked twice; after a broken link looks whether it was done."""
        while True:
            try:
                await self._port.ask(make)
            except OutcomeUnknown:
                await self._fresh()
                if is_done():
                    return
            else:
                return


class Watch(Sight):
    """A race seen by a spectator. `async for _ in watch.changes()` goes with its progress."""
