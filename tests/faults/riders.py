"""Players and spectators who live through every crash: they come back, resume, and check it all.

A rider keeps a board of their own by the rules core, plays fast (several moves under way at once),
repeats what was not answered, and fails at the first answer that is not what it must be.
"""

from __future__ import annotations

import itertools
import random
from collections import deque
from dataclasses import dataclass
from typing import Final, NoReturn

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage
from websockets.typing import Subprotocol

from faults.story import Story
from faults.world import World
from samedeal_protocol import messages
from samedeal_protocol.codec import Codec
from samedeal_protocol.messages import ClientMessage, Error, Ok, ServerMessage
from samedeal_rules import Table, deal, find, finishing, move_text, parse_move
from support.races import WIN

__all__ = ["Act", "Rider", "Watcher", "Winner"]

WINDOW: Final = 3
"""Moves that are under way at once."""
_LATE: Final = {"not-open", "not-running", "not-racing"}
"""What a repeated ready or give-up may hear: it was done before the connection broke."""


@dataclass(frozen=True, slots=True)
class Act:
    """Something done to a board: a move, `undo` or `finish`, and the view's digest after it."""

    number: int
    what: str
    digest: str

    def request(self, request: int, race: str) -> ClientMessage:
        match self.what:
            case "undo":
                return messages.Undo(id=request, race=race, number=self.number)
            case "finish":
                return messages.Finish(id=request, race=race, number=self.number)
            case move:
                return messages.Play(id=request, race=race, number=self.number, move=move)


class Watcher:
    """A spectator: told everything, over as many connections as it takes."""

    def __init__(self, world: World, race: str, name: str, codec: Codec) -> None:
        self.world = world
        self.name = name
        self.codec = codec
        self.story = Story(race, name)
        self.connections = 0
        self.connection: ClientConnection | None = None
        self.token: str | None = None
        self._ids = itertools.count(1)
        self._to_say: list[ClientMessage] = []
        self._is_in = False

    async def ride(self) -> None:
        """Follows the race to its end."""
        while not self.story.is_over:
            await self.world.is_up.wait()
            try:
                async with connect(
                    f"ws://{self.world.address}",
                    subprotocols=[Subprotocol(self.codec.subprotocol)],
                    compression=None,
                    proxy=None,
                    ping_interval=None,
                    close_timeout=1,
                    max_size=None,
                ) as connection:
                    await self._converse(connection)
            except (OSError, EOFError, ConnectionClosed, InvalidHandshake, InvalidMessage):
                # The server is gone, or goes while it answers the handshake.
                continue
        self.world.wake()

    async def _converse(self, connection: ClientConnection) -> None:
        self.connections += 1
        self.connection = connection
        self._is_in = False
        self._to_say = [messages.Hello(id=self._next_id(), name=self._said(), token=self.token)]
        is_known = self.token is not None
        if is_known:
            self._to_say.append(self._entering())
        while not self.story.is_over:
            for message in self._to_say:
                raw = self.codec.encode.encode(message)
                await connection.send(raw, text=self.codec.is_text)
            self._to_say = []
            frame = await connection.recv()
            self.world.heard()
            raw = frame.encode() if isinstance(frame, str) else frame
            message_ = self.codec.read_server(raw)
            self.story.take(message_)
            self._take(message_)

    def _said(self) -> str | None:
        """A name for one who has none yet; where the answer was lost, the first is taken."""
        return None if self.token is not None else f"{self.name}/{self.connections}"

    def _entering(self) -> ClientMessage:
        """The request that brings this connection into the race."""
        race = self.story.race
        if self.story.begins:
            return messages.Resume(id=self._next_id(), race=race, after=self.story.seq)
        return self._first(race)

    def _first(self, race: str) -> ClientMessage:
        return messages.Watch(id=self._next_id(), race=race)

    def _take(self, message: ServerMessage) -> None:
        match message:
            case Ok(result=messages.Welcome() as welcome):
                if self.token is None:
                    self.token = welcome.token
                    self._to_say.append(self._entering())
            case Ok(result=messages.Snapshot() | messages.Resumed()):
                self._is_in = True
                self._entered()
            case Error():
                self._refused(message)
            case _:
                pass

    def _entered(self) -> None:
        """What is said once the connection is in the race."""

    def _refused(self, error: Error) -> None:
        self._fail(f"refused: {error}")

    def _fail(self, sentence: str) -> NoReturn:
        raise AssertionError(f"{self.name} of {self.story.race}: {sentence}")

    def _next_id(self) -> int:
        return next(self._ids)


class Rider(Watcher):
    """A player who moves about at random until the heat is closing, and then gives up."""

    def __init__(
        self,
        world: World,
        race: str,
        name: str,
        codec: Codec,
        *,
        game: str,
        seed: str,
        dice: random.Random,
    ) -> None:
        super().__init__(world, race, name, codec)
        self.table: Table = deal(find(game), seed)
        self.acts: list[Act] = []
        """Everything done, whether answered or not, by number."""
        self.answered: list[messages.Played] = []
        self.is_closing = False
        self._deal = self.table.view().text()
        self._dice = dice
        self._unanswered: deque[Act] = deque()
        self._perhaps_done: set[int] = set()
        self._has_started = False
        self._has_ended = False
        self._elapsed = 0

    @property
    def you(self) -> int | None:
        """The own entrant number, once it is known."""
        return next((each.you for each in self.story.snapshots if each.you is not None), None)

    def _first(self, race: str) -> ClientMessage:
        return messages.Join(id=self._next_id(), race=race)

    def _entered(self) -> None:
        race = self.story.race
        if self._has_started:
            self._to_say += [act.request(self._next_id(), race) for act in self._unanswered]
            self._has_ended = False
            self._go_on()
        else:
            self._say_once(messages.Ready(id=self._next_id(), race=race))

    def _take(self, message: ServerMessage) -> None:
        match message:
            case Ok(result=messages.Played() as played):
                self._answer(played)
                self._go_on()
            case messages.Started(board=board):
                assert board == self._deal, f"{self.name} was dealt\n{board}\nnot\n{self._deal}"
                self._has_started = True
                self._go_on()
            case messages.Moved(number=number, digest=digest) if message.entrant == self.you:
                # An own move whose answer was lost.
                if number > len(self.acts) or self.acts[number - 1].digest != digest:
                    self._fail(f"nobody made this move: {message}")
            case _:
                super()._take(message)

    def _answer(self, played: messages.Played) -> None:
        act = self._unanswered.popleft()
        if (played.number, played.digest) != (act.number, act.digest):
            self._fail(f"{act} was answered by {played}")
        if played.elapsed_ms < self._elapsed:
            self._fail(f"the clock went back from {self._elapsed}: {played}")
        self._elapsed = played.elapsed_ms
        self.answered.append(played)

    def _say_once(self, message: ClientMessage) -> None:
        """Says what may have been done before the connection broke."""
        self._perhaps_done.add(message.id)
        self._to_say.append(message)

    def _refused(self, error: Error) -> None:
        if error.id not in self._perhaps_done or error.code not in _LATE:
            super()._refused(error)

    def _go_on(self) -> None:
        """Asks for as much as may be under way."""
        if not self._is_in:
            return
        while len(self._unanswered) < WINDOW and (what := self._choose()) is not None:
            self._do(what)
            number = len(self.acts) + 1
            act = Act(number, what, self.table.view_digest())
            self.acts.append(act)
            self._unanswered.append(act)
            self._to_say.append(act.request(self._next_id(), self.story.race))
        if self.is_closing and not self._unanswered and not self._has_ended:
            self._has_ended = True
            self._end()

    def _choose(self) -> str | None:
        """Returns what to do next; None for nothing more."""
        if self.is_closing:
            return None
        moves = self.table.legal()
        is_near = self.table.home + 1 >= self.table.game.goal  # who wins by chance ends too soon
        if is_near or not moves or (self.table.depth and self._dice.random() < 0.3):
            return "undo" if self.table.depth else None
        return move_text(self.table.game, self._dice.choice(moves))

    def _do(self, what: str) -> None:
        match what:
            case "undo":
                self.table.undo()
            case "finish":
                for move in finishing(self.table):
                    self.table.play(move)
            case move:
                self.table.play(parse_move(self.table.game, move))

    def _end(self) -> None:
        self._say_once(messages.GiveUp(id=self._next_id(), race=self.story.race))


class Winner(Rider):
    """A player who goes to and fro on the way to a win, and wins when the heat is closing."""

    def _choose(self) -> str | None:
        done = self.table.depth
        if self.table.won:
            return None
        if self.is_closing and done == len(WIN):
            return "finish"
        if not self.is_closing and done and (done == len(WIN) or self._dice.random() < 0.4):
            return "undo"
        return WIN[done]

    def _end(self) -> None:
        """The win has ended it."""
