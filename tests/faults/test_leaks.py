"""Everything that leaves a real server, judged by an oracle that knows what each reader may see.

Every frame of every socket in both encodings, error replies, pages and the server's own log at its
most talkative, over races of all games that hide cards: players, rivals, one who is done, a
spectator, the host, a stranger, and an entrant's second connection.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Final

import pytest
import pytest_asyncio
from msgspec.structs import replace

from conftest import SOAK
from faults.forge import LOUD, Forge, Forged
from faults.oracle import CARD, Board, Leak, Oracle, Reader
from rules import naive
from samedeal_protocol import events as log
from samedeal_protocol import messages
from samedeal_protocol.codec import JSON, MSGPACK, Codec
from samedeal_protocol.messages import ClientMessage
from samedeal_protocol.terms import Mode, Sight, Terms, Undo, Visibility
from samedeal_server.settings import Address
from support.fakes import FakeClock
from support.nodes import fakes, running
from support.voices import Refusal, Voice, voice

pytestmark = pytest.mark.asyncio(loop_scope="session")

GAMES: Final = (
    "boomerang",
    "amazons",
    "abandon-hope",
    "forty-thieves",
    "st-helena",
    "box-kite",
    "small-billee",
)
BASE: Final = Terms(game="", countdown=0, entrants_min=3, entrants_max=3, hints=True, limit=3600)
TERMS: Final = {
    "open": replace(BASE, undo=Undo.FREE),
    "careful": replace(BASE, undo=Undo.NOT_PAST_A_REVEAL, spectators=Sight.PROGRESS),
    "blind": replace(BASE, undo=Undo.PENALTY, blind=True),
    "private": replace(
        BASE, undo=Undo.FREE, spectators=Sight.NONE, visibility=Visibility.PHRASE, hints=False
    ),
    "async": replace(BASE, mode=Mode.ASYNC, undo=Undo.FREE),
    "async-blind": replace(BASE, mode=Mode.ASYNC, undo=Undo.FREE, blind=True),
}
CASES: Final = [
    (transport, game, terms)
    for at, game in enumerate(GAMES)
    for place, terms in enumerate(TERMS)
    for transport in ("fast", "plain")
    if SOAK > 1 or (place - at) % 6 == (0 if transport == "fast" else 3)
]
PHRASE: Final = "sesame-of-this-race"
STEPS: Final = 60


@dataclass
class Connection:
    """One socket, whose it is, and all that came over it."""

    who: str
    voice: Voice


@dataclass
class Player:
    """Somebody who plays on a board of the naive model."""

    voice: Voice
    before: list[naive.Naive] = field(default_factory=list)
    number: int = 0
    is_done: bool = False


@dataclass
class Scene:
    """One race with everybody in it."""

    address: Address
    stack: AsyncExitStack
    dice: random.Random
    terms: Terms
    clock: FakeClock | None = None
    """The server's, where the test has it."""
    race: str = ""
    tokens: dict[str, str] = field(default_factory=dict)
    players: dict[str, Player] = field(default_factory=dict)
    connections: list[Connection] = field(default_factory=list)
    pages: list[bytes] = field(default_factory=list)
    refusals: int = 0

    @property
    def phrase(self) -> str | None:
        return PHRASE if self.terms.visibility is Visibility.PHRASE else None

    async def connect(self, who: str) -> Voice:
        """Opens one more connection of somebody; the first makes them."""
        codec: Codec = JSON if self.dice.random() < 0.5 else MSGPACK
        speaker = await self.stack.enter_async_context(voice(self.address, codec=codec))
        welcome = await speaker.hello(token=self.tokens.get(who), legal=self.dice.random() < 0.5)
        if welcome.token is not None:
            self.tokens[who] = welcome.token
        self.connections.append(Connection(welcome.player, speaker))
        return speaker

    async def attempt(self, speaker: Voice, message: ClientMessage) -> object:
        """Asks for something that may well be refused."""
        try:
            return await speaker.ask(message)
        except Refusal as refused:
            self.refusals += 1
            return refused.error

    async def look_at_pages(self) -> None:
        """Fetches what any browser may."""
        for path in ("races", f"races/{self.race}", f"races/{self.race}/replay"):
            reader, writer = await asyncio.open_connection(self.address.host, self.address.port)
            writer.write(f"GET /api/v1/{path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            self.pages.append(await reader.read())
            writer.close()
            await writer.wait_closed()

    async def open(self) -> None:
        """Brings everybody in, and the race under way."""
        host = await self.connect("host")
        create = messages.Create(id=host.next_id(), terms=self.terms, phrase=self.phrase)
        self.race = (await host.get(messages.Created, create)).race
        for who in ("ann", "ben", "cat"):
            speaker = await self.connect(who)
            await speaker.join(self.race, phrase=self.phrase)
            self.players[who] = Player(speaker)
        for who in ("zoe", "ann", "host"):
            await self._watch(await self.connect(who))
        if self.terms.mode is Mode.LIVE:
            for player in self.players.values():
                await player.voice.ready(self.race)
            for player in self.players.values():
                started = await player.voice.hear(messages.Started)
                assert started.board is not None
                player.before = [naive.open_position(started.board)]

    async def _watch(self, speaker: Voice) -> object:
        request = messages.Watch(id=speaker.next_id(), race=self.race, phrase=self.phrase)
        return await self.attempt(speaker, request)

    async def step(self) -> None:
        """Does something: mostly a move, legal or not; or looks at it in one of many ways."""
        who = self.dice.choice(tuple(self.players))
        player = self.players[who]
        roll = self.dice.random()
        if roll < 0.05:
            older, player.voice = player.voice, await self.connect(who)
            after = self.dice.choice([None, 2, 5])
            resume = messages.Resume(id=player.voice.next_id(), race=self.race, after=after)
            assert isinstance(
                await self.attempt(player.voice, resume), messages.Snapshot | messages.Resumed
            )
            await older.end()
        elif roll < 0.1:
            await self._watch(await self.connect(self.dice.choice(("zoe", "eve", "host", who))))
        elif roll < 0.2:
            await self._ask_around(self.dice.choice(self.connections).voice)
        elif roll < 0.22:
            await self.look_at_pages()
        elif player.is_done:
            await self._ask_around(player.voice)
        else:
            await self._play(player)
        if self.clock is not None:
            self.clock.advance(self.dice.randrange(700))

    async def _ask_around(self, speaker: Voice) -> None:
        if speaker.closed.is_set():
            return
        number, race = speaker.next_id(), self.race
        requests: list[ClientMessage] = [
            messages.Results(id=number, race=race),
            messages.Replay(id=number, race=race, phrase=self.phrase),
            messages.Mine(id=number),
            messages.List(id=number),
            messages.Hint(id=number, race=race),
            messages.Play(id=number, race=race, number=1, move="draw"),
            messages.Chat(id=number, race=race, text="well, well"),
        ]
        await self.attempt(speaker, self.dice.choice(requests))

    async def _play(self, player: Player) -> None:
        speaker, race, number = player.voice, self.race, player.number + 1
        if not player.before:
            began = await self.attempt(speaker, messages.Begin(id=speaker.next_id(), race=race))
            assert isinstance(began, messages.Snapshot)
            assert began.you is not None
            board = began.entrants[began.you - 1].board
            assert board is not None
            player.before = [naive.open_position(board)]
            return
        roll = self.dice.random()
        if roll < 0.2:
            request: ClientMessage = messages.Undo(id=speaker.next_id(), race=race, number=number)
        elif roll < 0.25:
            request = messages.Finish(id=speaker.next_id(), race=race, number=number)
        else:
            names = list(player.before[-1].board.piles)
            move = f"{self.dice.choice(names)}-{self.dice.choice(names)}"
            # A board with hidden cards is enough to know what is legal.
            if roll < 0.8 and (legal := sorted(player.before[-1].legal())):
                move = self.dice.choice(legal)
            request = messages.Play(id=speaker.next_id(), race=race, number=number, move=move)
        answer = await self.attempt(speaker, request)
        if isinstance(answer, messages.Played):
            player.number = number
            own = await self.attempt(speaker, messages.Resume(id=speaker.next_id(), race=race))
            assert isinstance(own, messages.Snapshot)
            assert own.you is not None
            view = own.entrants[own.you - 1]
            player.is_done = view.state != "racing"
            assert view.board is not None
            player.before.append(naive.open_position(view.board))

    async def close(self) -> list[log.Event]:
        """Ends the race, has everybody look at it once more, and returns its log."""
        await self.look_at_pages()
        for player in self.players.values():
            speaker = player.voice
            if not player.before:
                await self.attempt(speaker, messages.Begin(id=speaker.next_id(), race=self.race))
            await self.attempt(speaker, messages.GiveUp(id=speaker.next_id(), race=self.race))
        for connection in self.connections:
            await self._ask_around(connection.voice)
        judge = await self.connect("judge")
        lines: list[str] = []
        while True:
            request = messages.Replay(
                id=judge.next_id(), race=self.race, after=len(lines), phrase=self.phrase
            )
            page = await judge.get(messages.ReplayPage, request)
            lines += page.lines
            if not page.more:
                self.connections.pop()  # It was sent the whole log, and may be.
                return [log.parse_line(line) for line in lines]

    def judge(self, events: list[log.Event]) -> list[Reader]:
        """Has the oracle read everything; raises `Leak`."""
        oracle = Oracle(events)
        opened = oracle.opened
        readers = []
        for connection in self.connections:
            others = [each.encode() for who, each in self.tokens.items()]
            reader = Reader(oracle, connection.who, [opened.seed.encode(), opened.salt.encode()])
            frames = connection.voice.frames
            for at, frame in enumerate(frames):
                reader.read(frame, is_text=connection.voice.codec.is_text)
                if at > 0 and any(token in frame for token in others):
                    raise Leak(f"a token was sent to {connection.who}")
                if PHRASE.encode() in frame:
                    raise Leak(f"the pass phrase was sent to {connection.who}")
            readers.append(reader)
        return readers

    def judge_page(self, page: bytes, opened: log.Opened) -> None:
        """A stranger's page before the end holds no card and no secret at all."""
        secrets = (opened.seed, opened.salt, PHRASE, *self.tokens.values())
        for line in page.decode("latin-1").splitlines():
            if any(secret in line for secret in secrets) or CARD.search(line):
                raise Leak(line)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def servers(
    forge: Forge, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[dict[str, Forged]]:
    """Servers that write down all that they ever do, by the transport that they use."""
    made = {}
    for transport in ("fast", "plain"):
        data = tmp_path_factory.mktemp(transport)
        talkative = ("--transport", transport, "--log-level", "debug")
        made[transport] = await forge.start(data, *LOUD, *talkative)
    yield made
    for each in made.values():
        await forge.kill(each)


@pytest.mark.parametrize(("transport", "game", "terms"), CASES)
async def test_nothing_that_leaves_a_server_holds_what_its_reader_may_not_have_seen(
    servers: dict[str, Forged], transport: str, game: str, terms: str
) -> None:
    server = servers[transport]
    async with AsyncExitStack() as stack:
        dice = random.Random(f"{game} {terms}")
        scene = Scene(server.address, stack, dice, replace(TERMS[terms], game=game))
        await scene.open()
        for _ in range(STEPS):
            await scene.step()
        events = await scene.close()
        readers = scene.judge(events)
        assert sum(reader.boards for reader in readers) > 30
        assert scene.refusals > 3
        opened = events[0]
        assert isinstance(opened, log.Opened)
        for page in scene.pages:
            scene.judge_page(page, opened)
        scene.judge_page(server.errors.read_bytes(), opened)


async def test_a_spectator_who_is_kept_behind_is_told_nothing_early() -> None:
    world = fakes()
    async with running(world) as node, AsyncExitStack() as stack:
        terms = replace(TERMS["open"], game="forty-thieves", delay=3)
        scene = Scene(node.address, stack, random.Random("behind"), terms, clock=world.clock)
        topics: list[bytes] = []
        stack.callback(world.bus.subscribe("samedeal/#", lambda _, sent: topics.append(sent)))
        await scene.open()
        behind = next(c for c in scene.connections[4:] if c.who == scene.connections[4].who)
        told = 0
        for _ in range(STEPS):
            await scene.step()
            node.hall.tick()
            now = world.clock.now()
            for message in behind.voice.heard:
                told += 1
                assert getattr(message, "at", 0) <= now - 3000
            behind.voice.heard.clear()
        assert told > 10
        node.hall.world.flush()
        public = topics.copy()
        events = await scene.close()
        scene.judge(events)
        opened = events[0]
        assert isinstance(opened, log.Opened)
        assert public
        for sent in public:
            scene.judge_page(sent, opened)


# --- the oracle itself -------------------------------------------------------------------------


def a_race() -> Oracle:
    terms = Terms(game="forty-thieves", countdown=0)
    opened = log.Opened(
        at=1,
        race="r",
        terms=terms,
        rules="",
        deal="",
        seed="friday-night",
        salt="5a",
        commitment="",
        host="h",
        host_name="H",
    )
    return Oracle(
        [
            opened,
            log.Entered(at=1, entrant=1, player="ann", name="Ann"),
            log.Entered(at=1, entrant=2, player="ben", name="Ben"),
            log.Started(at=1),
            log.Played(at=2, entrant=1, number=1, move="draw"),
        ]
    )


WHOLE: Final = naive.deal("forty-thieves", "friday-night")
HIDDEN: Final = WHOLE.board.piles["S"]
MOVED: Final = messages.Moved(
    race="r", seq=5, at=2, entrant=1, number=1, digest="0123456789abcdef", home=0
)


@pytest.mark.parametrize(
    ("player", "message"),
    [
        (
            "ann",
            messages.Moved(race="r", seq=5, at=2, entrant=1, number=1, digest="0" * 16, home=0),
        ),
        (
            "ann",
            messages.Started(
                race="r", seq=4, at=1, board=naive.deal("forty-thieves", "friday-night").text()
            ),
        ),
        ("ben", messages.Error(code="illegal-move", message=f"{HIDDEN[1]} stays", retry="never")),
        ("zoe", messages.Chat(id=1, race="r", text="friday-night")),
    ],
    ids=["a-digest-of-all", "a-whole-deal", "a-card-in-an-error", "a-seed"],
)
async def test_the_oracle_finds_what_should_not_have_been_sent(
    player: str, message: messages.ServerMessage | messages.Chat
) -> None:
    reader = Reader(a_race(), player, [b"friday-night"])
    with pytest.raises(Leak):
        reader.read(JSON.encode.encode(message), is_text=True)


async def test_the_oracle_lets_pass_what_may_be_seen() -> None:
    oracle = a_race()
    board = oracle.board(1, 5)
    assert isinstance(board, Board)
    reader = Reader(oracle, "ann", [b"friday-night"])
    drawn = (messages.Turned(pile="W", card=HIDDEN[0]),)
    turned = replace(MOVED, turned=drawn, digest=board.digest)
    reader.read(JSON.encode.encode(turned), is_text=True)
    rival = Reader(oracle, "ben", [b"friday-night"])
    with pytest.raises(Leak):
        rival.read(JSON.encode.encode(turned), is_text=True)
