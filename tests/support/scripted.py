"""A server behind the client library's ports: no socket, no clock, every fault at will.

`ScriptedServer` answers by a table of request types. `RaceServer` runs one real race behind it.
`StillTiming` stands still until a test advances it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from msgspec.structs import replace

from samedeal_client.transport import DialFailed, Wire, WireLost
from samedeal_protocol import messages as m
from samedeal_protocol.codec import Codec
from samedeal_protocol.events import Event
from samedeal_protocol.terms import Terms
from samedeal_server.racing import commands
from samedeal_server.racing.audience import played, show, sight, snapshot
from samedeal_server.racing.race import Refused

from .races import HOST, Track, answer

_M = TypeVar("_M", m.Played, m.Moved)

__all__ = [
    "SILENCE",
    "Answer",
    "RaceServer",
    "ScriptedServer",
    "ScriptedWire",
    "StillTiming",
    "settle",
]

LIMITS = m.Limits(
    frame_bytes=16_384,
    requests_per_second=50.0,
    burst=100,
    chat_characters=300,
    races_per_player=20,
    ping_ms=30_000,
)


async def settle() -> None:
    """Lets everything that can go on go on."""
    for _ in range(50):
        await asyncio.sleep(0)


class StillTiming:
    """Time that moves when it is told to; chance that is always in the middle."""

    def __init__(self) -> None:
        self._now = 1000.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now(self) -> float:
        return self._now

    def chance(self) -> float:
        return 0.5

    async def sleep(self, seconds: float) -> None:
        future = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._now + seconds, future))
        await future

    async def advance(self, seconds: float) -> None:
        """Lets time pass, sleeper by sleeper, and everything go on that it wakes."""
        until = self._now + seconds
        await settle()
        while due := [each for each in self._sleepers if each[0] <= until and not each[1].done()]:
            self._now, future = min(due, key=lambda each: each[0])
            future.set_result(None)
            await settle()
        self._now = until
        await settle()


class Silence:
    """No answer at all."""


SILENCE = Silence()
Answer: TypeAlias = m.Reply | m.Error | Silence | None
Handler: TypeAlias = Callable[[m.ClientMessage], Answer]


class ScriptedWire:
    """One connection to a scripted server."""

    def __init__(self, server: ScriptedServer, codec: Codec) -> None:
        self.server = server
        self.codec = codec
        self.is_open = True
        self._frames: asyncio.Queue[bytes | WireLost] = asyncio.Queue()
        self._held: list[bytes] | None = None

    def hold(self) -> None:
        """Keeps back what is sent to the client, as a slow link does."""
        self._held = []

    def release(self) -> None:
        """Lets it come, in its order."""
        held, self._held = self._held or [], None
        for frame in held:
            self._frames.put_nowait(frame)

    async def send(self, frames: Sequence[bytes]) -> None:
        for frame in frames:
            if not self.is_open:
                raise WireLost
            self.server.hear(self, self.codec.read_client(frame))

    async def receive(self) -> bytes:
        frame = await self._frames.get()
        if isinstance(frame, WireLost):
            raise frame
        return frame

    async def close(self) -> None:
        self.is_open = False

    def push(self, *messages: m.ServerMessage) -> None:
        """Sends messages to the client."""
        if self.is_open:
            for message in messages:
                frame = self.codec.encode.encode(message)
                if self._held is None:
                    self._frames.put_nowait(frame)
                else:
                    self._held.append(frame)

    def drop(self, code: int | None = None) -> None:
        """Ends the connection, for the client and for the server."""
        self.is_open = False
        self._frames.put_nowait(WireLost(code))


class ScriptedServer:
    """Answers hello, pings, and whatever `answers` has a handler for."""

    def __init__(self) -> None:
        self.wires: list[ScriptedWire] = []
        self.heard: list[m.ClientMessage] = []
        self.is_down = False
        self.drops_before: set[int] = set()
        """Which requests (counted from 0, hellos left out) are lost with their connection."""
        self.drops_after: set[int] = set()
        """Which replies are."""
        self.counted = 0
        self.answers: dict[type[m.ClientMessage], Handler] = {
            m.Hello: self._hello,
            m.Ping: lambda _: m.Pong(sent=0, at=0),
        }

    async def dial(self, url: str, codec: Codec) -> Wire:
        await asyncio.sleep(0)
        if self.is_down:
            raise DialFailed(f"nobody answers at {url}", may_pass=True)
        wire = ScriptedWire(self, codec)
        self.wires.append(wire)
        return wire

    @property
    def wire(self) -> ScriptedWire:
        """The newest connection."""
        return self.wires[-1]

    def asked(self, kind: type[m.ClientMessage]) -> list[m.ClientMessage]:
        """Returns the requests of a type that were heard."""
        return [request for request in self.heard if isinstance(request, kind)]

    def hear(self, wire: ScriptedWire, request: m.ClientMessage) -> None:
        """Takes a request and answers it, unless a fault is due."""
        self.heard.append(request)
        number = None
        if not isinstance(request, m.Hello | m.Ping):
            number, self.counted = self.counted, self.counted + 1
        if number in self.drops_before:
            wire.drop()
            return
        reply = self.answer(wire, request)
        if number in self.drops_after:
            wire.drop()
            return
        match reply:
            case Silence():
                pass
            case m.Error():
                wire.push(reply)
            case result:
                wire.push(m.Ok(id=request.id, result=result))

    def answer(self, wire: ScriptedWire, request: m.ClientMessage) -> Answer:
        """Returns the answer to a request."""
        handler = self.answers.get(type(request))
        return SILENCE if handler is None else handler(request)

    def _hello(self, request: m.ClientMessage) -> Answer:
        name = request.name if isinstance(request, m.Hello) else None
        return m.Welcome(
            player=HOST, name=name or "Guest", token="t0k3n", server="scripted", at=0, limits=LIMITS
        )


def _rate_limited(request: m.ClientMessage) -> m.Error:
    return m.Error(
        id=request.id, code="rate-limited", message="slowly", retry="after", after_ms=500
    )


class RaceServer(ScriptedServer):
    """One race, with the server's own racing behind it. Whoever connects is the host."""

    def __init__(self, terms: Terms, *, seed: str = "friday-night") -> None:
        super().__init__()
        self.track = Track(terms, seed=seed)
        self.track.watchers.append(self._tell)
        self.followers: dict[ScriptedWire, bool] = {}
        """Connections that follow the race, and whether they want legal moves."""
        self.told: list[m.RaceEvent] = [m.Skip(race="race-1", seq=1, at=self.track.now)]
        self.asking: ScriptedWire | None = None
        """Who is to have the reply before what follows from the move."""
        self.later: list[m.RaceEvent] = []
        self.spoils: set[int] = set()
        """Seqs of events whose digest is told wrong."""
        self.resumes_too_many = 0
        """How many resumes are yet to be refused as too many."""
        self.plays_too_many = 0
        """How many plays are."""

    @property
    def race(self) -> str:
        return self.track.race.id

    def hear(self, wire: ScriptedWire, request: m.ClientMessage) -> None:
        self.later.clear()
        super().hear(wire, request)
        wire.push(*self.later)

    def answer(self, wire: ScriptedWire, request: m.ClientMessage) -> Answer:
        try:
            return self._race(wire, request)
        except Refused as refused:
            return m.Error(
                id=request.id,
                code=refused.code.code,
                message=refused.sentence,
                reason=refused.reason,
                retry=refused.code.retry.value,
            )

    def _race(self, wire: ScriptedWire, request: m.ClientMessage) -> Answer:
        match request:
            case m.Join():
                if HOST not in self.track.race.by_player:
                    self.track.do(commands.Enter(HOST, "Ada", bot=False))
                self.followers[wire] = False
                return self._snapshot()
            case m.Watch():
                self.followers[wire] = False
                return self._snapshot()
            case m.Resume() if self.resumes_too_many:
                self.resumes_too_many -= 1
                return _rate_limited(request)
            case m.Play() if self.plays_too_many:
                self.plays_too_many -= 1
                return _rate_limited(request)
            case m.Resume(after=after):
                self.followers[wire] = False
                if after is None:
                    return self._snapshot()
                wire.push(m.Ok(id=request.id, result=self._resumed(after)))
                wire.push(*self.told[after:])
                return SILENCE
            case m.Ready():
                self.track.do(commands.Ready(HOST))
            case m.Begin():
                self.followers.pop(wire, None)
                self.track.do(commands.Begin(HOST))
                self.followers[wire] = False
                return self._snapshot()
            case m.GiveUp():
                self.track.do(commands.GiveUp(HOST))
            case m.Chat(text=text):
                self.track.do(commands.Chat(HOST, "Ada", False, text))
            case m.Play(number=number, move=move):
                return self._board(wire, commands.Play(HOST, number, move))
            case m.Undo(number=number):
                return self._board(wire, commands.Undo(HOST, number))
            case m.Finish(number=number):
                return self._board(wire, commands.Finish(HOST, number))
            case m.SendHome(number=number):
                return self._board(wire, commands.SendHome(HOST, number))
            case _:
                return super().answer(wire, request)
        return None

    def _board(self, wire: ScriptedWire, command: commands.BoardCommand) -> Answer:
        self.asking = wire
        try:
            done = self.track.do(command)
        finally:
            self.asking = None
        entrant = self.track.race.by_player[HOST]
        if not done:
            return answer(self.track.log, entrant.number, command.number)
        return self._spoilt(played(self.track.race, entrant))

    def _spoilt(self, message: _M) -> _M:
        return replace(message, digest="0" * 16) if message.seq in self.spoils else message

    def _snapshot(self) -> m.Snapshot:
        return snapshot(self.track.race, HOST, self.track.now)

    def _resumed(self, after: int) -> m.Resumed:
        return m.Resumed(race=self.race, after=after, seq=self.track.race.seq)

    def _tell(self, event: Event) -> None:
        race = self.track.race
        message = show(race, event, sight(race, HOST))
        if isinstance(message, m.Moved):
            message = self._spoilt(message)
        self.told.append(message)
        for wire in self.followers:
            if wire is not self.asking:
                wire.push(message)
            elif not isinstance(message, m.Moved | m.Undone):
                self.later.append(message)  # the reply stands in for the move itself
