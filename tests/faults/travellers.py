"""Players and spectators of several nodes, who go to another when theirs is gone, or for fun.

They ask again what was not answered or was refused for now, keep a board of their own, and fail at
the first answer or event that is not what it must be. Everything they were told is kept.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NoReturn

from msgspec.structs import replace
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage
from websockets.typing import Subprotocol

from faults.nodes import Fleet
from faults.riders import Act
from faults.story import Story
from samedeal_protocol import messages
from samedeal_protocol.codec import Codec
from samedeal_protocol.errors import ErrorCode, Retry
from samedeal_protocol.messages import ClientMessage, Error, Ok, ServerMessage
from samedeal_rules import Table, deal, find, finishing, move_text, parse_move
from support.races import WIN

__all__ = ["Player", "Spectator", "Tale", "Wait", "Winner"]

WINDOW: Final = 3
"""Moves that are under way at once, at most."""
_FOR_NOW: Final = {each.code for each in ErrorCode if each.retry is not Retry.NEVER}
_LATE: Final = {"not-open", "not-running", "not-racing"}
"""What a repeated ready or give-up may hear: it was done before."""


class Tale(Story):
    """A story in which a snapshot may come unasked, from a node that has read the race again."""

    def take(self, message: ServerMessage) -> None:
        """Takes a message in."""
        if isinstance(message, messages.Snapshot) and message.race == self.race:
            self._whole(message)
        else:
            super().take(message)


@dataclass(slots=True)
class Wait:
    """How long something took that was asked: milliseconds of UTC."""

    asked: float
    answered: float | None = None


class Spectator:
    """Watches a race to its end, over as many connections and nodes as it takes."""

    def __init__(
        self,
        fleet: Fleet,
        race: str,
        name: str,
        *,
        home: str,
        codec: Codec,
        dice: random.Random,
        pace: float,
        hops: float = 0.0,
    ) -> None:
        """`pace` is the mean of seconds between what is done; `hops` how often, of those, a
        client goes to another node."""
        self.fleet = fleet
        self.race = race
        self.name = name
        self.home = home
        self.codec = codec
        self.story = Tale(race, name)
        self.player = ""
        self.away: set[int] = set()
        """The entrants who are not there, as far as the viewer knows."""
        self.connections = 0
        self.frames: list[bytes] = []
        """Everything that was sent about the race, if `keeps`."""
        self.keeps = False
        self.noted: Callable[[], None] = lambda: None
        """Called when something has come."""
        self.heard_at = 0.0
        self.recent: deque[tuple[float, int, ServerMessage | ClientMessage]] = deque(maxlen=40)
        """What was last said and heard: when, and at which port."""
        self._dice = dice
        self._pace = pace
        self._hops = hops
        self._loop = asyncio.get_running_loop()
        self._token: str | None = None
        self._ids = itertools.count(1)
        self._to_say: list[ClientMessage] = []
        self._due: list[tuple[float, Callable[[], None]]] = []
        self._port = 0
        self._is_in = False
        self._hopping = False
        self._again: dict[int, ClientMessage] = {}
        """Requests that are made again when they are refused for now."""

    async def ride(self) -> None:
        """Follows the race to its end; a failure tells what was said last."""
        try:
            await self._ride()
        except AssertionError as fault:
            for when, port, message in self.recent:
                fault.add_note(f"{when:.0f} {port} {message}"[:400])
            raise

    async def _ride(self) -> None:
        while not self.story.is_over:
            address = await self.fleet.address(self.home)
            self._port = address.port
            try:
                async with connect(
                    f"ws://{address}",
                    subprotocols=[Subprotocol(self.codec.subprotocol)],
                    compression=None,
                    proxy=None,
                    ping_interval=None,
                    open_timeout=2,
                    close_timeout=0.2,
                    max_size=None,
                ) as connection:
                    await self._converse(connection)
            except (OSError, EOFError, ConnectionClosed, InvalidHandshake, InvalidMessage):
                # The node is gone, or goes while it answers the handshake.
                await asyncio.sleep(self._dice.uniform(0.02, 0.2))
        self.noted()

    async def _converse(self, connection: ClientConnection) -> None:
        self.connections += 1
        self._is_in = self._hopping = False
        self._due, self._again = [], {}
        replied: set[int] = set()
        self._lost()
        said = None if self._token is not None else f"{self.name}/{self.connections}"
        self._to_say = [messages.Hello(id=self._next_id(), name=said, token=self._token)]
        if self._token is not None:
            self._ask_in()
        self._after(self._rest(), self._act)
        while not self.story.is_over and not self._hopping:
            for message in self._to_say:
                raw = self.codec.encode.encode(message)
                self.recent.append((self.fleet.now(), self._port, message))
                await connection.send(raw, text=self.codec.is_text)
            self._to_say = []
            try:
                async with asyncio.timeout_at(min(when for when, _ in self._due)):
                    frame = await connection.recv()
            except TimeoutError:
                self._do_what_is_due()
                continue
            raw = frame.encode() if isinstance(frame, str) else frame
            message_ = self.codec.read_server(raw)
            if self.keeps:
                self.frames.append(raw)
            self.heard_at = self.fleet.now()
            self.recent.append((self.heard_at, self._port, message_))
            if isinstance(message_, Ok | Error) and message_.id is not None:
                if message_.id in replied:
                    self._fail(f"replied twice: {message_}")
                replied.add(message_.id)
            self.story.take(message_)
            self._note_away(message_)
            self._take(message_)
            self.noted()

    @property
    def at(self) -> str:
        """The node of the last connection: another than `home` if that one was closed then."""
        return self.fleet.named(self._port)

    def stay(self) -> None:
        """Goes to no other node any more without need."""
        self._hops = 0

    def _note_away(self, message: ServerMessage) -> None:
        match message:
            case messages.Away(entrant=entrant):
                self.away.add(entrant)
            case messages.Back(entrant=entrant) | messages.Done(entrant=entrant):
                self.away.discard(entrant)
            case messages.Snapshot() | Ok(result=messages.Snapshot()):
                snapshot = message if isinstance(message, messages.Snapshot) else message.result
                assert isinstance(snapshot, messages.Snapshot)
                self.away = {each.entrant for each in snapshot.entrants if each.away}
            case _:
                pass

    # --- what is due ---------------------------------------------------------------------------

    def _after(self, seconds: float, do: Callable[[], None]) -> None:
        self._due.append((self._loop.time() + seconds, do))

    def _do_what_is_due(self) -> None:
        now = self._loop.time()
        due = [do for when, do in self._due if when <= now]
        self._due = [(when, do) for when, do in self._due if when > now]
        for do in due:
            do()

    def _rest(self) -> float:
        return self._dice.uniform(0.5, 1.5) * self._pace

    def _act(self) -> None:
        """What a client does now and then."""
        self._after(self._rest(), self._act)
        if self._is_in and self._dice.random() < self._hops:
            self.home = self._dice.choice(tuple(self.fleet.members))
            self._hopping = True

    # --- getting in ----------------------------------------------------------------------------

    def _ask_in(self) -> None:
        """Asks for what brings this connection into the race."""
        race = self.race
        if self.story.begins:
            self._ask(messages.Resume(id=self._next_id(), race=race, after=self.story.seq))
        else:
            self._ask(self._first())

    def _first(self) -> ClientMessage:
        return messages.Watch(id=self._next_id(), race=self.race)

    def _ask(self, message: ClientMessage) -> None:
        """Asks for something, again if it is refused for now."""
        self._again[message.id] = message
        self._to_say.append(message)

    def _take(self, message: ServerMessage) -> None:
        match message:
            case Ok(result=messages.Welcome() as welcome):
                if self._token is None:
                    self._token = welcome.token
                    self.player = welcome.player
                    self._ask_in()
            case Ok(result=messages.Snapshot() as snapshot):
                self._is_in = True
                self._see(snapshot)
                self._entered()
            case Ok(result=messages.Resumed()):
                self._is_in = True
                self._entered()
            case messages.Snapshot() as snapshot:
                self._see(snapshot)
            case Error():
                self._refused(message)
            case _:
                pass

    def _lost(self) -> None:
        """Forgets what was said over an earlier connection."""

    def _entered(self) -> None:
        """What is done once the connection is in the race."""

    def _see(self, snapshot: messages.Snapshot) -> None:
        """Compares a snapshot with what is known."""

    def _refused(self, error: Error) -> None:
        message = None if error.id is None else self._again.pop(error.id, None)
        if message is not None and error.code in _FOR_NOW:
            # A resume is asked anew: things may have been told meanwhile.
            is_way_in = isinstance(message, messages.Resume | messages.Join | messages.Watch)
            again = self._ask_in if is_way_in else (lambda: self._ask_again(message))
            self._after((error.after_ms or 500) / 1000, again)
        elif error.code in _FOR_NOW:
            self._hopping = True  # The hello was refused: it is said on another connection.
        else:
            self._fail(f"refused: {error}")

    def _ask_again(self, message: ClientMessage) -> None:
        """Asks for the same by another request."""
        self._ask(replace(message, id=self._next_id()))

    def _fail(self, sentence: str) -> NoReturn:
        raise AssertionError(f"{self.name} of {self.race} at {self.at}: {sentence}")

    def _next_id(self) -> int:
        return next(self._ids)


class Player(Spectator):
    """Moves about at random until `is_closing`, and then gives up."""

    def __init__(
        self,
        fleet: Fleet,
        race: str,
        name: str,
        *,
        home: str,
        codec: Codec,
        dice: random.Random,
        pace: float,
        game: str,
        seed: str,
        hops: float = 0.0,
    ) -> None:
        super().__init__(fleet, race, name, home=home, codec=codec, dice=dice, pace=pace, hops=hops)
        self.table: Table = deal(find(game), seed)
        self.acts: list[Act] = []
        """Everything done, whether answered or not, by number."""
        self.waits: list[Wait] = []
        """How long each of the acts took, from when it was first asked."""
        self.answered: dict[int, messages.Played] = {}
        self.is_closing = False
        self.has_started = False
        self._deal = self.table.view().text()
        self._unanswered: deque[Act] = deque()
        self._asked: dict[int, Act] = {}
        """Acts that are under way on this connection, by request."""
        self._perhaps_done: set[int] = set()
        self._has_ended = False

    @property
    def you(self) -> int | None:
        """The own entrant number, once it is known."""
        return next((each.you for each in self.story.snapshots if each.you is not None), None)

    @property
    def last_answer(self) -> float:
        """When a move was last answered."""
        return max((wait.answered for wait in self.waits if wait.answered), default=0.0)

    @property
    def has_all_answered(self) -> bool:
        return not self._unanswered

    def _first(self) -> ClientMessage:
        return messages.Join(id=self._next_id(), race=self.race)

    def _lost(self) -> None:
        self._asked = {}
        self._has_ended = False

    def _entered(self) -> None:
        if self.has_started:
            self._say_unanswered()
        else:
            self._say_once(messages.Ready(id=self._next_id(), race=self.race))

    def _say_once(self, message: ClientMessage) -> None:
        """Says what may have been done already."""
        self._perhaps_done.add(message.id)
        self._ask(message)

    def _ask_again(self, message: ClientMessage) -> None:
        if message.id in self._perhaps_done:
            self._say_once(replace(message, id=self._next_id()))
        else:
            super()._ask_again(message)

    def _see(self, snapshot: messages.Snapshot) -> None:
        if snapshot.phase == "cancelled":
            self._fail(f"the race was called off: {snapshot}")
        if snapshot.phase == "running":
            self.has_started = True
        if self.answered and snapshot.number < max(self.answered):
            self._fail(f"answered up to {max(self.answered)}, but {snapshot}")
        if snapshot.number > len(self.acts):
            self._fail(f"nobody did number {snapshot.number}: {snapshot}")
        if snapshot.you is not None and snapshot.number:
            digest = snapshot.entrants[snapshot.you - 1].digest
            if digest != self.acts[snapshot.number - 1].digest:
                self._fail(f"that is not the board after {snapshot.number}: {snapshot}")

    def _take(self, message: ServerMessage) -> None:
        match message:
            case Ok(id=request, result=messages.Played() as played):
                self._answer(request, played)
            case messages.Started(board=board):
                if board != self._deal:
                    self._fail(f"dealt\n{board}\nnot\n{self._deal}")
                self.has_started = True
            case messages.Moved(number=number, digest=digest) if message.entrant == self.you:
                # An own move whose answer was lost.
                if number > len(self.acts) or self.acts[number - 1].digest != digest:
                    self._fail(f"nobody made this move: {message}")
            case messages.Cancelled():
                self._fail(f"the race was called off: {message}")
            case _:
                super()._take(message)

    def _answer(self, request: int, played: messages.Played) -> None:
        act = self._asked.pop(request)
        if (played.number, played.digest) != (act.number, act.digest):
            self._fail(f"{act} was answered by {played}")
        self.answered[act.number] = played
        self.waits[act.number - 1].answered = self.fleet.now()
        self._unanswered.remove(act)
        if self._unanswered and not self._asked:
            self._after(0, self._say_unanswered)
        if self.is_closing:
            self._end()

    def _refused(self, error: Error) -> None:
        act = self._asked.pop(error.id, None) if error.id is not None else None
        if act is None:
            if error.id in self._perhaps_done and error.code in _LATE:
                return
            super()._refused(error)
            return
        is_before = any(each.number < act.number for each in self._unanswered)
        if error.code not in _FOR_NOW and not (error.code == "bad-number" and is_before):
            self._fail(f"{act} was refused: {error}")
        if not self._asked:
            # All have been answered, some by "not now": from the first on, once more.
            self._after((error.after_ms or 200) / 1000, self._say_unanswered)

    def _say_unanswered(self) -> None:
        if self._asked or not self._is_in:
            return
        for act in self._unanswered:
            self._request(act)
        if not self._unanswered and self.is_closing:
            self._end()

    def _request(self, act: Act) -> None:
        message = act.request(self._next_id(), self.race)
        self._asked[message.id] = act
        self._to_say.append(message)

    def _act(self) -> None:
        super()._act()
        if not self._is_in or not self.has_started or self._hopping:
            return
        if self.is_closing:
            self._end()
            return
        if len(self._asked) < len(self._unanswered):
            return  # Something has to be asked once more before.
        many = WINDOW if self._dice.random() < 0.2 else 1
        while len(self._unanswered) < many and (what := self._choose()) is not None:
            self._do(what)
            act = Act(len(self.acts) + 1, what, self.table.view_digest())
            self.acts.append(act)
            self.waits.append(Wait(self.fleet.now()))
            self._unanswered.append(act)
            self._request(act)

    def _choose(self) -> str | None:
        """Returns what to do next; None for nothing more."""
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
        """Does what ends the own race, when nothing else is under way."""
        if self._unanswered or self._has_ended or not self._is_in or not self.has_started:
            return
        self._has_ended = True
        self._say_once(messages.GiveUp(id=self._next_id(), race=self.race))


class Winner(Player):
    """Goes to and fro on the way to a win, and wins in the end."""

    def _choose(self) -> str | None:
        done = self.table.depth
        if done and (done == len(WIN) or self._dice.random() < 0.4):
            return "undo"
        return WIN[done]

    def _end(self) -> None:
        if self._unanswered or not self._is_in or not self.has_started or self.table.won:
            return
        done = self.table.depth
        what = "finish" if done == len(WIN) else WIN[done]
        self._do(what)
        act = Act(len(self.acts) + 1, what, self.table.view_digest())
        self.acts.append(act)
        self.waits.append(Wait(self.fleet.now()))
        self._unanswered.append(act)
        self._request(act)
