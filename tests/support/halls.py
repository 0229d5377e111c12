"""A hall without sockets: people whose connections keep what they were sent."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import Protocol, TypeVar

from samedeal_protocol import messages
from samedeal_protocol.codec import MSGPACK
from samedeal_protocol.errors import CloseCode
from samedeal_protocol.messages import ClientMessage, Error, Ok, Reply, ServerMessage
from samedeal_protocol.terms import Terms
from samedeal_rules import deal, find, move_text, parse_move
from samedeal_server.cups import Cups
from samedeal_server.ports import Bus, HouseBots, Leases
from samedeal_server.rooms.caller import Caller
from samedeal_server.rooms.hall import Hall
from support.fakes import FakeClock, FixedSeeds, RecordingHooks, RecordingMeter
from support.memory import MemoryLog
from support.nodes import fakes, settings

__all__ = ["GAME", "SEED", "Lobby", "Person", "lobby", "seqs", "until", "walk"]

_R = TypeVar("_R")


class World(Protocol):
    """What a hall is run over."""

    @property
    def log(self) -> MemoryLog: ...

    @property
    def clock(self) -> FakeClock: ...

    @property
    def seeds(self) -> FixedSeeds: ...

    @property
    def meter(self) -> RecordingMeter: ...

    @property
    def bus(self) -> Bus: ...

    @property
    def leases(self) -> Leases: ...

    @property
    def hooks(self) -> RecordingHooks: ...


GAME = "streets-and-alleys"
SEED = "bench"


def walk(length: int, *, game: str = GAME, seed: str = SEED) -> list[str]:
    """Returns a long legal play of a deal."""
    table = deal(find(game), seed)
    texts: list[str] = []
    for step in range(length):
        legal = sorted(move_text(table.game, move) for move in table.legal())
        text = legal[step * 7 % len(legal)]
        table.play(parse_move(table.game, text))
        texts.append(text)
    return texts


def to_frame(message: ServerMessage) -> bytes:
    return MSGPACK.encode.encode(message)


class Person:
    """A connection and whoever sits at it."""

    def __init__(self, lobby: Lobby, *, legal: bool = False, address: str = "") -> None:
        self.lobby = lobby
        self.address = address
        self.wire = to_frame
        self.legal = legal
        self.berth = None
        self.is_open = True
        self.is_clogged = False
        self.closed_with: CloseCode | None = None
        self.frames: list[bytes] = []
        self.welcome: messages.Welcome | None = None
        self.caller = Caller(lobby.hall, self)
        self._ids = itertools.count(1)
        self._heard: list[ServerMessage] = []

    # --- as a Peer ---

    def send(self, frame: bytes) -> None:
        if self.is_open:
            self.frames.append(frame)

    def offer(self, frame: bytes) -> bool:
        if not self.is_clogged:
            self.send(frame)
        return not self.is_clogged

    def say(self, message: ServerMessage) -> None:
        self.send(self.wire(message))

    def close(self, code: CloseCode) -> None:
        if self.is_open:
            self.is_open = False
            self.closed_with = code
            asyncio.get_running_loop().call_soon(self.caller.gone)

    # --- what a test does ---

    @property
    def heard(self) -> list[ServerMessage]:
        """Everything that was sent here, in order."""
        if len(self._heard) > len(self.frames):
            self._heard.clear()
        for frame in self.frames[len(self._heard) :]:
            self._heard.append(MSGPACK.read_server(frame))
        return self._heard.copy()

    @property
    def player(self) -> str:
        assert self.welcome is not None
        return self.welcome.player

    def next_id(self) -> int:
        return next(self._ids)

    def say_now(self, message: ClientMessage) -> Coroutine[None, None, None] | None:
        """Has a message heard; what is returned must be awaited."""
        return self.caller.hear(message, self.lobby.world.clock.now())

    async def reply_to(self, message: ClientMessage) -> Ok | Error:
        """Has a message heard, waits until all is durable, and returns its one reply."""
        errand = self.say_now(message)
        if errand is not None:
            await errand
        await self.lobby.settle()
        replies = [
            each for each in self.heard if isinstance(each, Ok | Error) and each.id == message.id
        ]
        assert len(replies) == 1, replies
        return replies[0]

    async def ask(self, message: ClientMessage) -> Reply | None:
        reply = await self.reply_to(message)
        assert isinstance(reply, Ok), reply
        return reply.result

    async def get(self, kind: type[_R], message: ClientMessage) -> _R:
        result = await self.ask(message)
        assert isinstance(result, kind), result
        return result

    async def refusal(self, message: ClientMessage) -> str:
        """Has a message refused; returns the code."""
        reply = await self.reply_to(message)
        assert isinstance(reply, Error), reply
        return reply.code

    def of(self, kind: type[_R]) -> list[_R]:
        """Returns what was heard of one kind."""
        return [each for each in self.heard if isinstance(each, kind)]

    def leave(self) -> None:
        """Loses the connection."""
        self.is_open = False
        self.caller.gone()

    async def hello(self, name: str | None = None, **more: object) -> Person:
        hello = messages.Hello(id=self.next_id(), name=name, **more)  # type: ignore[arg-type]
        self.welcome = await self.get(messages.Welcome, hello)
        return self

    async def join(self, race: str, phrase: str | None = None) -> messages.Snapshot:
        join = messages.Join(id=self.next_id(), race=race, phrase=phrase)
        return await self.get(messages.Snapshot, join)

    async def watch(self, race: str) -> messages.Snapshot:
        return await self.get(messages.Snapshot, messages.Watch(id=self.next_id(), race=race))

    async def ready(self, race: str) -> None:
        await self.ask(messages.Ready(id=self.next_id(), race=race))

    async def play(self, race: str, number: int, move: str) -> messages.Played:
        return await self.get(messages.Played, self.a_play(race, number, move))

    async def give_up(self, race: str) -> None:
        await self.ask(messages.GiveUp(id=self.next_id(), race=race))

    def a_play(self, race: str, number: int, move: str) -> messages.Play:
        return messages.Play(id=self.next_id(), race=race, number=number, move=move)


class Lobby:
    """A hall over fakes."""

    def __init__(self, world: World, hall: Hall) -> None:
        self.world = world
        self.hall = hall
        self.others: Callable[[], Awaitable[None]] | None = None
        """What else must settle: the nodes beside this one."""

    async def person(
        self, name: str | None = None, *, legal: bool = False, address: str = "", **more: object
    ) -> Person:
        """Somebody new who has said hello."""
        person = Person(self, legal=legal, address=address)
        return await person.hello(name, legal=legal, **more)

    async def again(self, person: Person) -> Person:
        """The same player on another connection."""
        assert person.welcome is not None
        other = await Person(self).hello(token=person.welcome.token, legal=person.legal)
        other.welcome = messages.Welcome(
            player=person.welcome.player,
            name=person.welcome.name,
            token=person.welcome.token,
            server="",
            at=0,
            limits=person.welcome.limits,
        )
        return other

    async def race(self, host: Person, **terms: object) -> str:
        """Opens a race; by default one that two players start at once, with a known seed.

        `seed` and `phrase` go beside the terms.
        """
        seed = terms.pop("seed", SEED)
        phrase = terms.pop("phrase", None)
        assert isinstance(seed, str | None)
        assert isinstance(phrase, str | None)
        chosen: dict[str, object] = {"game": GAME, "countdown": 0, **terms}
        created = await host.get(
            messages.Created,
            messages.Create(
                id=host.next_id(),
                terms=Terms(**chosen),  # type: ignore[arg-type]
                seed=seed,
                phrase=phrase,
            ),
        )
        return created.race

    async def started(self, *people: Person, **terms: object) -> str:
        """A race that runs, entered by all of them."""
        race = await self.race(people[0], **{"entrants_min": len(people), **terms})
        for person in people:
            await person.join(race)
        for person in people:
            await person.ready(race)
        await self.pass_time(0)
        return race

    async def two_racing(self, **terms: object) -> tuple[Person, Person, str]:
        """Ann and Ben in a race that runs."""
        ann, ben = await self.person("Ann"), await self.person("Ben")
        return ann, ben, await self.started(ann, ben, **terms)

    async def pass_time(self, ms: int) -> None:
        """Lets time pass, and what is due then happen."""
        self.world.clock.advance(ms)
        self.hall.tick()
        await self.settle()

    async def settle(self) -> None:
        """Waits until everything is durable and told."""
        await asyncio.sleep(0)
        await self.hall.committer.flush()
        if self.others is not None:
            await self.others()


@asynccontextmanager
async def lobby(
    world: World | None = None, *, house: HouseBots | None = None, **changes: object
) -> AsyncIterator[Lobby]:
    """Runs a hall; its committer is at work, its clock stands still."""
    world = world or fakes()
    async with asyncio.TaskGroup() as group:
        errands: set[asyncio.Task[None]] = set()

        def spawn(errand: Coroutine[None, None, None], title: str) -> None:
            task = group.create_task(errand, name=title)
            errands.add(task)
            task.add_done_callback(errands.discard)

        hall = Hall(
            settings(**changes),
            log=world.log,
            bus=world.bus,
            clock=world.clock,
            seeds=world.seeds,
            meter=world.meter,
            leases=world.leases,
            spawn=spawn,
            annex=partial(Cups, hooks=world.hooks),
            house_bots=house,
        )
        committing = group.create_task(hall.committer.run(), name="committer")
        try:
            await hall.recover()
            yield Lobby(world, hall)
        finally:
            for task in (committing, *errands):
                task.cancel()


async def until(holds: Callable[[], bool]) -> None:
    """Waits for something that real time brings about; fails after five seconds."""
    for _ in range(1000):
        if holds():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not come about")


def seqs(person: Person, race: str) -> list[int]:
    """Returns the seqs that a connection was told of a race, replies that stand for one included.

    A snapshot starts anew: it stands for everything up to its own seq.
    """
    told: list[int] = []
    for message in person.heard:
        match message:
            case Ok(result=messages.Snapshot() as snapshot) if snapshot.race == race:
                told = [snapshot.seq]
            case Ok(result=messages.Resumed() as resumed) if resumed.race == race:
                told = [resumed.after]
            case Ok(result=messages.Played() as played) if played.race == race:
                if not told or played.seq > told[-1]:
                    told.append(played.seq)
            case messages.Snapshot() as snapshot if snapshot.race == race:
                if told and snapshot.seq != told[-1]:
                    told = [snapshot.seq]
            case Ok() | Error() | messages.Notice() | messages.TournamentChanged():
                pass
            case event if event.race == race:
                told.append(event.seq)
            case _:
                pass
    return told
