"""One race as its entrant or its spectator lives it.

    async with hall.join("brisk-otter-42") as run:
        await run.ready()
        async for view in run:
            await run.play(view.legal()[0])

Reconnecting happens underneath: a `play` resolves once, with the server's answer, whatever the
connection does meanwhile.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Protocol, TypeAlias

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.messages import (
    Begin,
    Cancel,
    Cancelled,
    Chat,
    ChatLine,
    ClientMessage,
    Disqualify,
    EntrantView,
    Finish,
    GiveUp,
    Hint,
    Hinted,
    HouseBot,
    InviteBot,
    Leave,
    Over,
    Play,
    Played,
    RaceEvent,
    Ready,
    SendHome,
    Snapshot,
    Standing,
    Start,
    Undo,
    Unready,
)
from samedeal_protocol.terms import Terms
from samedeal_rules.notation import Move, Position, move_text

from .errors import ClientError, OutcomeUnknown, Refused
from .following import UNREAD_MAX, Following
from .scene import Scene
from .turns import Asking, Numbered, Turns
from .view import View

__all__ = ["UNREAD_MAX", "Happening", "Port", "Run", "Sight", "Watch"]

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


class Run(Sight):
    """An entrant's race. `async for view in run` yields the newest view of the own board.

    It begins with the deal (waiting for the start), skips views that are stale, and ends when the
    entrant or the race is done. A stuck board is yielded as well: take something back, or give up.
    """

    def __init__(self, port: Port, snapshot: Snapshot) -> None:
        super().__init__(port, snapshot)
        self._turns = Turns(port, lambda: self._scene.number)

    @property
    def you(self) -> int:
        """The own entrant number."""
        you = self._scene.you
        if you is None:
            raise ClientError("the server says that this player is no entrant of the race")
        return you

    @property
    def view(self) -> View | None:
        """The own board, once there is a deal."""
        return self._scene.view

    @property
    def state(self) -> str:
        """The own state: entered, ready, racing, finished, stuck, gave-up, ..."""
        you = self.you_are
        return "withdrawn" if you is None else self.entrants[you].state

    @property
    def is_done(self) -> bool:
        """There is nothing left to play: the own race has ended, or the whole race has."""
        return self.is_over or self.state not in ("entered", "ready", "racing")

    async def __aiter__(self) -> AsyncIterator[View]:
        yielded: View | None = None
        while self._is_open() and not self.is_done:
            view = self.view
            if view is None or view is yielded or view.status == "won":
                await self._bell.wait()
            else:
                yielded = view
                yield view

    async def ready(self) -> None:
        """Says ready."""
        await self._once(lambda id: Ready(id=id, race=self.race), lambda: self.state != "entered")

    async def unready(self) -> None:
        """Takes ready back."""
        await self._once(lambda id: Unready(id=id, race=self.race), lambda: self.state != "ready")

    async def start(self) -> None:
        """Begins the countdown: the host's, where the terms leave the start to the host."""
        await self._once(
            lambda id: Start(id=id, race=self.race),
            lambda: self.phase not in ("open", "cancelled"),
        )

    async def begin(self) -> View:
        """Opens the deal of an async race and starts the own clock."""
        await self._once(
            lambda id: Begin(id=id, race=self.race), lambda: self.state not in ("entered", "ready")
        )
        while self.view is None:
            await self._fresh()
        return self.view

    async def play(self, move: str | Move, *, follows: bool = False) -> Played:
        """Plays one move; returns the server's answer once the move is durable.

        The move's number is fixed when its turn comes and survives reconnects, so the move counts
        once. Concurrent calls take turns in the order in which they were made. With `follows` the
        move is sent at once, behind those that are under way, and counts only if they do.

        Raises:
            IllegalMove: the rules refuse it; nothing changed.
            Refused: the race is not running, or the own board is not in play.
            TakenBack: the move was to follow one that was refused.
        """
        text = move if isinstance(move, str) else self._text(move)
        return await self._numbered(
            lambda id, number: Play(id=id, race=self.race, number=number, move=text),
            follows=follows,
        )

    async def undo(self, *, follows: bool = False) -> Played:
        """Takes the last play back; refused where the terms or the position allow none."""
        return await self._numbered(
            lambda id, number: Undo(id=id, race=self.race, number=number), follows=follows
        )

    async def finish(self, *, follows: bool = False) -> Played:
        """Lets the server play every card home; refused if that does not win."""
        return await self._numbered(
            lambda id, number: Finish(id=id, race=self.race, number=number), follows=follows
        )

    async def send_home(self, *, follows: bool = False) -> Played:
        """Lets the server play home what is safe there; refused if nothing is."""
        return await self._numbered(
            lambda id, number: SendHome(id=id, race=self.race, number=number), follows=follows
        )

    async def hint(self, skip: int = 0) -> str:
        """Asks for a move worth trying, leaving the best `skip` out; after the last, the first."""
        match await self._port.ask(lambda id: Hint(id=id, race=self.race, skip=skip)):
            case Hinted(move=move):
                return move
            case other:
                raise ClientError(f"the server answered a hint with {type(other).__name__}")

    async def give_up(self) -> None:
        """Ends the own race without a finish."""
        await self._once(lambda id: GiveUp(id=id, race=self.race), lambda: self.is_done)

    async def leave(self) -> None:
        """Withdraws, before the start."""
        try:
            await self._port.ask(lambda id: Leave(id=id, race=self.race))
        except Refused as refused:
            # It may have been done before a broken connection, and asked again after it.
            if refused.code != ErrorCode.NOT_ENTERED.code:
                raise

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

    def _text(self, move: Move) -> str:
        view = self.view
        if view is None:
            raise ClientError("there is no deal yet: give the move as text")
        return move_text(view.game, move)

    async def _numbered(self, make: Numbered, *, follows: bool = False) -> Played:
        """Asks for something that is done to the own board, under its next number."""
        asked = self._turns.follow if follows else self._turns.take
        played = await asked(make)
        self._scene.number = max(self._scene.number, played.number)
        return played
