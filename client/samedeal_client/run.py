"""One race as its entrant lives it.

    async with hall.join("brisk-otter-42") as run:
        await run.ready()
        async for view in run:
            await run.play(view.legal()[0])

Reconnecting happens underneath: a `play` resolves once, with the server's answer, whatever the
connection does meanwhile.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.messages import (
    Begin,
    Finish,
    GiveUp,
    Hint,
    Hinted,
    Leave,
    Play,
    Played,
    Ready,
    SendHome,
    Snapshot,
    Undo,
    Unready,
)
from samedeal_rules.notation import Move, move_text

from .errors import ClientError, Refused
from .sight import Port, Sight
from .turns import Numbered, Turns
from .view import View

__all__ = ["Run"]


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
