"""Malformed, oversized, unknown, out-of-order and forged: a coded refusal or a close, always.

A race is in progress all the while, on the same server: its players feel nothing, nobody who is no
entrant leaves a trace in it, and the server has nothing to write into its log.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio
from msgspec.structs import replace

from conftest import SOAK
from faults.deaf import Deaf, deaf, masked
from faults.forge import LOUD, Forge
from faults.riders import Rider, Watcher
from faults.stage import TERMS
from faults.world import World
from samedeal_protocol import events as log
from samedeal_protocol import messages
from samedeal_protocol.codec import FRAME_BYTES, JSON, MSGPACK, Codec
from samedeal_protocol.errors import CloseCode, ErrorCode
from samedeal_protocol.messages import ClientMessage, Error, Ok
from samedeal_server.adapters.log_sqlite import Stored
from support.frames import CLIENT, RACE
from support.halls import SEED
from support.voices import greeted, voice

pytestmark = pytest.mark.asyncio(loop_scope="session")

GAME: Final = "forty-thieves"
CODECS: Final = pytest.mark.parametrize("codec", [MSGPACK, JSON], ids=["msgpack", "json"])
CODES: Final = {code.code for code in ErrorCode}
CLOSES: Final = {code.number for code in CloseCode} | {1002, 1007}
"""Ours, and what WebSocket itself says to those who break it."""


@dataclass
class Siege:
    """A server with a race in progress, and whoever rides in it."""

    world: World
    race: str
    riders: list[Rider]
    watcher: Watcher

    async def holds(self) -> None:
        """The race goes on."""
        await self.world.busy(40)


@pytest_asyncio.fixture(scope="module", loop_scope="session", params=["fast", "plain"])
async def siege(
    forge: Forge, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> AsyncIterator[Siege]:
    data: Path = tmp_path_factory.mktemp("siege")
    calm = ("--log-level", "warning", "--transport", request.param, "--races-per-player", "100000")
    patient = ("--max-faults", "1000000", "--close-timeout", "1", "--drain", "0")
    world = World(forge, data, *LOUD, *calm, *patient)
    await world.start()
    async with greeted(world.address, "Host") as host:
        create = messages.Create(id=host.next_id(), terms=replace(TERMS, game=GAME), seed=SEED)
        race = (await host.get(messages.Created, create)).race
    riders = [
        Rider(world, race, f"Rider {at}", MSGPACK, game=GAME, seed=SEED, dice=random.Random(at))
        for at in range(2)
    ]
    siege = Siege(world, race, riders, Watcher(world, race, "Eve", JSON))
    async with asyncio.TaskGroup() as group:
        for each in (*riders, siege.watcher):
            group.create_task(each.ride(), name=each.name)
        yield siege
        for rider in riders:
            rider.is_closing = True
    for each in (*riders, siege.watcher):
        assert each.story.is_whole
        assert each.connections == 1, "nobody in the race felt anything"
    world.ask_to_end()
    assert await world.ended() == 0
    assert world.errors == "", "nothing was a fault of ours"
    with Stored(data) as stored:
        lines = next(each.lines for each in stored.races() if each.row.race == race)
    entered = [e for e in map(log.parse_line, lines) if isinstance(e, log.Entered | log.Said)]
    assert len(entered) == 2, "no stranger has left a trace"


@asynccontextmanager
async def attacker(siege: Siege, codec: Codec = MSGPACK) -> AsyncIterator[Deaf]:
    """A bare client that has said hello."""
    async with deaf(siege.world.address, codec=codec) as bare:
        await bare.say(messages.Hello(id=1))
        welcome = await bare.read()
        assert isinstance(welcome, Ok), welcome
        yield bare


async def answer(bare: Deaf) -> Ok | Error | None:
    """Reads the next reply, or None for a close."""
    while (message := await bare.read()) is not None:
        if isinstance(message, Ok | Error):
            if isinstance(message, Error):
                assert message.code in CODES
                assert message.retry in ("never", "now", "after")
                assert message.message
            return message
    assert bare.close_code in CLOSES, bare.close_code
    return None


# --- frames that break WebSocket ---------------------------------------------------------------

PING: Final = MSGPACK.encode.encode(messages.Ping(id=2))

BROKEN: Final[dict[str, tuple[bytes, int]]] = {
    "unmasked": (b"\x82" + bytes((len(PING),)) + PING, 1002),
    "reserved-bit": (masked(PING, first=0xC2), 1002),
    "unknown-opcode": (masked(PING, first=0x83), 1002),
    "unknown-control": (masked(b"", first=0x8B), 1002),
    "ping-in-fragments": (masked(b"x", first=0x09), 1002),
    "ping-too-long": (masked(b"x" * 126, first=0x89), 1002),
    "continuation-of-nothing": (masked(PING, first=0x80), 1002),
    "message-amid-fragments": (masked(PING[:3], first=0x02) + masked(PING), 1002),
    "length-beyond-all": (b"\x82\xff" + b"\xff" * 8 + bytes(4), 1009),
    "length-of-exabytes": (b"\x82\xff" + b"\x0f" + b"\xff" * 7 + bytes(4), 1009),
    "too-long": (masked(b"x" * (FRAME_BYTES + 1)), 1009),
    "too-long-announced-only": (
        b"\x82\xfe" + (FRAME_BYTES + 1).to_bytes(2, "big") + bytes(4),
        1009,
    ),
    "fragments-too-long": (
        masked(b"x" * 9000, first=0x02) + masked(b"x" * 9000, first=0x80),
        1009,
    ),
    "close-of-one-byte": (masked(b"\x03", first=0x88), 1002),
    "close-of-no-meaning": (masked((1005).to_bytes(2, "big"), first=0x88), 1002),
    "close-in-no-language": (masked((1000).to_bytes(2, "big") + b"\xff", first=0x88), 1007),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_a_broken_frame_is_closed_with_a_code(siege: Siege, name: str) -> None:
    frames, code = BROKEN[name]
    async with attacker(siege) as bare:
        await bare.send(frames)
        await bare.read_to_the_close()
        assert bare.close_code == code
    await siege.holds()


@CODECS
async def test_messages_cut_into_any_pieces_are_each_answered_once_and_in_order(
    siege: Siege, codec: Codec
) -> None:
    """Fragments, pings between them, frames of every size, and packets cut at any byte."""
    dice = random.Random(f"pieces {codec.subprotocol}")
    async with attacker(siege, codec) as bare:
        stream = bytearray()
        ids = range(2, 200)
        for number in ids:
            race = "x" * dice.choice((1, 20, 32))
            text = "y" * dice.choice((1, 60, 90, 200, 300))
            raw = codec.encode.encode(messages.Chat(id=number, race=race, text=text))
            cuts = sorted(dice.randrange(len(raw) + 1) for _ in range(dice.choice((0, 0, 1, 3))))
            parts = [raw[a:b] for a, b in itertools.pairwise((0, *cuts, len(raw)))]
            for at, part in enumerate(parts):
                is_last = at == len(parts) - 1
                stream += masked(
                    part, first=(0x80 * is_last) | (bare.first & 0x0F if at == 0 else 0)
                )
                if dice.random() < 0.3:
                    stream += masked(b"are you there", first=0x89)
        sent = 0
        while sent < len(stream):
            size = dice.choice((1, 2, 3, 7, 50, 400, 3000))
            await bare.send(bytes(stream[sent : sent + size]))
            sent += size
            await asyncio.sleep(0)
        for number in ids:
            reply = await answer(bare)
            assert isinstance(reply, Error)
            assert (reply.id, reply.code) == (number, "no-such-race")
    await siege.holds()


# --- frames that are no message ----------------------------------------------------------------


def deep(codec: Codec, levels: int) -> bytes:
    """Returns nothing, in so many brackets."""
    return b"[" * levels + b"]" * levels if codec.is_text else b"\x91" * levels + b"\xc0"


def field(codec: Codec, value: bytes) -> bytes:
    """Returns a ping that has one field more, which nobody knows."""
    if codec.is_text:
        return b'{"type":"ping","id":7,"more":' + value + b"}"
    return b"\x83\xa4type\xa4ping\xa2id\x07\xa4more" + value


VALUES: Final[dict[str, dict[str, object]]] = {
    "no-type": {"id": 7},
    "a-type-of-another-kind": {"type": 5, "id": 7},
    "an-unknown-type": {"type": "dance", "id": 7},
    "a-reply": {"type": "ok", "id": 7},
    "no-id": {"type": "ping"},
    "an-id-of-nothing": {"type": "ping", "id": None},
    "an-id-of-truth": {"type": "ping", "id": True},
    "an-id-of-zero": {"type": "ping", "id": 0},
    "an-id-below": {"type": "ping", "id": -1},
    "an-id-above": {"type": "ping", "id": 2**53},
    "an-id-far-above": {"type": "ping", "id": 2**64 - 1},
    "an-id-with-a-point": {"type": "ping", "id": 1.5},
    "an-id-in-a-list": {"type": "ping", "id": [7]},
    "a-number-of-zero": {"type": "play", "id": 7, "race": "RACE", "number": 0, "move": "draw"},
    "a-number-below": {"type": "play", "id": 7, "race": "RACE", "number": -1, "move": "draw"},
    "a-number-above": {"type": "undo", "id": 7, "race": "RACE", "number": 10**6 + 1},
    "a-number-as-text": {"type": "undo", "id": 7, "race": "RACE", "number": "1"},
    "a-move-of-nothing": {"type": "play", "id": 7, "race": "RACE", "number": 1, "move": ""},
    "a-move-too-long": {"type": "play", "id": 7, "race": "RACE", "number": 1, "move": "T" * 17},
    "a-race-of-nothing": {"type": "watch", "id": 7, "race": ""},
    "a-race-too-long": {"type": "watch", "id": 7, "race": "x" * 33},
    "a-race-that-is-none": {"type": "watch", "id": 7, "race": 12},
    "a-seq-below": {"type": "resume", "id": 7, "race": "RACE", "after": -1},
    "an-entrant-of-zero": {"type": "disqualify", "id": 7, "race": "RACE", "entrant": 0},
    "a-line-too-long": {"type": "chat", "id": 7, "race": "RACE", "text": "x" * 301},
    "a-line-of-nothing": {"type": "chat", "id": 7, "race": "RACE", "text": ""},
    "no-terms": {"type": "create", "id": 7},
    "terms-of-no-game": {"type": "create", "id": 7, "terms": {}},
    "terms-of-another-game": {"type": "create", "id": 7, "terms": {"game": "poker"}},
    "terms-of-another-mode": {"type": "create", "id": 7, "terms": {"game": "opus", "mode": "x"}},
    "a-countdown-below": {"type": "create", "id": 7, "terms": {"game": "opus", "countdown": -1}},
    "a-limit-above": {"type": "create", "id": 7, "terms": {"game": "opus", "limit": 10**9}},
    "no-entrants": {"type": "create", "id": 7, "terms": {"game": "opus", "entrants_min": 0}},
    "more-than-most": {
        "type": "create",
        "id": 7,
        "terms": {"game": "opus", "entrants_min": 9, "entrants_max": 3},
    },
    "a-seed-of-nothing": {"type": "create", "id": 7, "terms": {"game": "opus"}, "seed": ""},
    "a-seed-too-long": {"type": "create", "id": 7, "terms": {"game": "opus"}, "seed": "x" * 65},
    "a-phrase-for-nobody": {"type": "create", "id": 7, "terms": {"game": "opus"}, "phrase": "x"},
    "a-start-in-the-past": {
        "type": "create",
        "id": 7,
        "terms": {"game": "opus", "start": "at", "start_at": 1},
    },
    "a-start-beyond-time": {
        "type": "create",
        "id": 7,
        "terms": {"game": "opus", "start": "at", "start_at": 2**63 - 1},
    },
    "a-page-before-the-first": {"type": "replay", "id": 7, "race": "RACE", "after": -1},
    "hello-again": {"type": "hello", "id": 7},
}

RAW: Final[dict[str, Callable[[Codec], bytes]]] = {
    "nothing": lambda _: b"",
    "zeros": lambda _: bytes(64),
    "ones": lambda _: b"\xff" * 64,
    "brackets": lambda codec: deep(codec, 8000),
    "brackets-that-stay-open": lambda codec: deep(codec, 8000)[:8000],
    "brackets-in-a-field": lambda codec: field(codec, deep(codec, 8000)),
    "half-a-message": lambda codec: codec.encode.encode(messages.Ping(id=7))[:-3],
    "more-than-a-message": lambda codec: codec.encode.encode(messages.Ping(id=7)) * 2,
    "a-list": lambda codec: codec.encode.encode([1, 2, 3]),
    "a-number": lambda codec: codec.encode.encode(7),
    "the-other-encoding": lambda codec: (MSGPACK if codec.is_text else JSON).encode.encode(
        messages.Ping(id=7)
    ),
    "no-utf-8": lambda codec: codec.encode.encode(messages.Ping(id=7)).replace(b"ping", b"p\xffng"),
    "a-count-of-billions": lambda codec: (
        b'{"type":"ping","id":1e400}' if codec.is_text else b"\xdf\xff\xff\xff\xff"
    ),
    "half-a-surrogate": lambda codec: (
        b'{"type":"hello","id":7,"name":"\\ud800"}' if codec.is_text else b"\xa3\xed\xa0\x80"
    ),
    "a-thing-of-an-unknown-kind": lambda codec: (
        b'{"type":"ping","id":NaN}' if codec.is_text else b"\x82\xa4type\xa4ping\xa2id\xd4\x05\x00"
    ),
}


@CODECS
async def test_what_is_no_message_is_refused_with_a_code_and_the_link_lives(
    siege: Siege, codec: Codec
) -> None:
    async with attacker(siege, codec) as bare:
        for name, value in VALUES.items():
            here = {key: siege.race if part == "RACE" else part for key, part in value.items()}
            await bare.send(masked(codec.encode.encode(here), first=bare.first))
            reply = await answer(bare)
            assert isinstance(reply, Error), f"{name}: {reply}"
            if value.get("id") == 7:
                assert reply.id == 7, f"{name}: {reply}"
        await bare.say(messages.Ping(id=8))
        assert isinstance(await answer(bare), Ok)
    await siege.holds()


@CODECS
@pytest.mark.parametrize("name", RAW)
async def test_any_other_bytes_are_refused_with_a_code(
    siege: Siege, codec: Codec, name: str
) -> None:
    payload = RAW[name](codec)
    async with attacker(siege, codec) as bare:
        await bare.send(masked(payload, first=bare.first))
        reply = await answer(bare)
        if codec.is_text and not is_utf_8(payload):
            # Text that is none may be refused by WebSocket itself.
            assert isinstance(reply, Error) or bare.close_code == 1007
            return
        # Unknown fields are ignored, but for what is too deep to be read at all.
        assert isinstance(reply, Error), f"{reply}, closed with {bare.close_code}"
        await bare.say(messages.Ping(id=8))
        assert isinstance(await answer(bare), Ok)


def is_utf_8(payload: bytes) -> bool:
    try:
        payload.decode()
    except UnicodeDecodeError:
        return False
    return True


@CODECS
async def test_frames_of_the_wrong_kind_are_closed(siege: Siege, codec: Codec) -> None:
    async with attacker(siege, codec) as bare:
        await bare.send(masked(b"{}", first=bare.first ^ 3))
        assert await answer(bare) is None
        assert bare.close_code == CloseCode.BAD_FRAME.number
    await siege.holds()


# --- messages at the wrong time, and from the wrong hands --------------------------------------

EVERY: Final = {
    name: message for name, message in CLIENT.items() if not isinstance(message, messages.Hello)
}


def here(message: ClientMessage, race: str, number: int) -> ClientMessage:
    """Returns a sample message about this race, under an id of its own."""
    changes: dict[str, object] = {"id": number}
    if getattr(message, "race", None) == RACE:
        changes["race"] = race
    return replace(message, **changes)


async def test_before_hello_nothing_is_done(siege: Siege) -> None:
    async with voice(siege.world.address) as early:
        for message in EVERY.values():
            reply = await (await early.say(here(message, siege.race, early.next_id())))
            assert isinstance(reply, Error)
            assert reply.code == "hello-first"
    await siege.holds()


async def test_strangers_change_nothing_in_a_race(siege: Siege) -> None:
    """They may watch this one, ask how it stands, and do what is about no race."""
    allowed = {
        *("watch", "resume", "results", "ping", "list", "mine", "create.plain", "leave"),
        *("leaderboard.plain", "ratings.plain", "daily", "daily.plain", "league", "league.plain"),
        *("list-tournaments", "unfollow-tournament", "announce-tournament"),
        *(f"announce-tournament.{each}" for each in ("double", "round-robin", "swiss", "heats")),
    }
    async with greeted(siege.world.address) as stranger:
        for name, message in EVERY.items():
            if isinstance(message, messages.Chat):
                continue  # Before a watch refused, after it heard: a spectator may talk.
            reply = await (await stranger.say(here(message, siege.race, stranger.next_id())))
            if name not in allowed:
                assert isinstance(reply, Error), f"{name}: {reply}"
                assert reply.code in CODES
    await siege.holds()


async def test_nobody_is_somebody_else(siege: Siege) -> None:
    """A player's public id, name and seat are known to all, and open nothing."""
    rider = siege.riders[0]
    async with voice(siege.world.address) as thief:
        player = rider.story.snapshots[0].entrants[0].name
        token = rider.token
        assert token is not None
        claims: dict[str, list[str | None]] = {
            "bad-token": [token[:-1], token[::-1], token.swapcase(), "", player, "\0", "x" * 128],
            "name-taken": [None],
        }
        for code, tokens in claims.items():
            for claimed in tokens:
                hello = messages.Hello(
                    id=thief.next_id(), token=claimed, name=None if claimed is not None else player
                )
                reply = await (await thief.say(hello))
                assert isinstance(reply, Error), f"{claimed!r}: {reply}"
                assert reply.code == code
        await thief.hello()
        for number in (1, rider.table.depth, 10**6):
            play = messages.Play(
                id=thief.next_id(), race=siege.race, number=max(1, number), move="draw"
            )
            reply = await (await thief.say(play))
            assert isinstance(reply, Error)
            assert reply.code == "not-entered"
    await siege.holds()


async def test_an_entrant_out_of_order_is_refused_by_name(siege: Siege) -> None:
    """In a race of their own, at every phase, whatever does not belong there has its code."""
    async with greeted(siege.world.address) as ann:
        race = ""

        async def code_of(message: ClientMessage) -> str | None:
            reply = await (await ann.say(here(message, race, ann.next_id())))
            return reply.code if isinstance(reply, Error) else None

        create = messages.Create(id=ann.next_id(), terms=replace(TERMS, game=GAME, entrants_min=1))
        race = (await ann.get(messages.Created, create)).race
        play = messages.Play(id=1, race=RACE, number=1, move="draw")
        assert await code_of(play) == "not-running"
        assert await code_of(messages.Ready(id=1, race=RACE)) == "not-entered"
        await ann.join(race)
        assert await code_of(messages.Begin(id=1, race=RACE)) == "not-async"
        assert await code_of(messages.Start(id=1, race=RACE)) == "not-host"
        assert await code_of(messages.Rematch(id=1, race=RACE)) == "not-over"
        assert await code_of(messages.Replay(id=1, race=RACE)) == "not-over"
        await ann.ready(race)
        await ann.hear(messages.Started)
        assert await code_of(replace(play, number=2)) == "bad-number"
        assert await code_of(replace(play, move="T1-T99")) == "bad-move"
        assert await code_of(replace(play, move="\0\u202e")) == "bad-move"
        assert await code_of(replace(play, move="F1-F2")) == "illegal-move"
        assert await code_of(messages.Undo(id=1, race=RACE, number=1)) == "no-undo"
        assert await code_of(messages.Finish(id=1, race=RACE, number=1)) == "not-finishable"
        assert await code_of(messages.Hint(id=1, race=RACE)) == "no-hints"
        assert await code_of(messages.Cancel(id=1, race=RACE)) == "not-open"
        assert await code_of(messages.Disqualify(id=1, race=RACE, entrant=9)) == "not-entered"
        assert await code_of(play) is None
        assert await code_of(replace(play, move="T1-T2")) == "number-reused"
        assert await code_of(messages.GiveUp(id=1, race=RACE)) is None
        assert await code_of(replace(play, number=2)) == "not-running"
        assert await code_of(messages.GiveUp(id=1, race=RACE)) == "not-running"
    await siege.holds()


# --- anything at all ---------------------------------------------------------------------------


def mutated(raw: bytes, dice: random.Random, others: list[bytes]) -> bytes:
    """Returns a valid frame with something done to it."""
    data = bytearray(raw)
    for _ in range(dice.choice((1, 1, 2, 5))):
        at = dice.randrange(len(data) + 1)
        match dice.randrange(6):
            case 0 if at < len(data):
                data[at] ^= 1 << dice.randrange(8)
            case 1 if at < len(data):
                data[at] = dice.choice(
                    (0, 1, 0x7F, 0x80, 0xC0, 0xC1, 0xDF, 0xFF, dice.randrange(256))
                )
            case 2:
                del data[at : at + dice.randrange(1, 9)]
            case 3:
                data[at:at] = dice.randbytes(dice.randrange(1, 9))
            case 4:
                other = dice.choice(others)
                data[at:] = other[dice.randrange(len(other)) :]
            case _:
                data += data[at : at + 20]
    return bytes(data)


@CODECS
async def test_every_mutated_message_gets_exactly_one_reply(siege: Siege, codec: Codec) -> None:
    """The attacker is in a race of their own, so that some of it means something."""
    dice = random.Random(f"mutants {codec.subprotocol}")
    async with AsyncExitStack() as stack:
        bare = await stack.enter_async_context(attacker(siege, codec))
        terms = replace(TERMS, game=GAME, entrants_min=1)
        await bare.say(messages.Create(id=2, terms=terms, seed=SEED))
        created = await answer(bare)
        assert isinstance(created, Ok)
        assert isinstance(created.result, messages.Created)
        race = created.result.race
        await bare.say(messages.Join(id=3, race=race))
        await bare.say(messages.Ready(id=4, race=race))
        for _ in range(2):
            assert isinstance(await answer(bare), Ok)
        about = (race, race, race, siege.race)
        for _ in range(20 * SOAK):
            samples = [
                codec.encode.encode(here(message, dice.choice(about), 7))
                for message in CLIENT.values()
                if not isinstance(message, messages.GiveUp)
            ]
            batch = [mutated(dice.choice(samples), dice, samples) for _ in range(50)]
            if codec.is_text:
                batch = [each.decode(errors="ignore").encode() for each in batch]
            await bare.send(b"".join(masked(each, first=bare.first) for each in batch))
            for _ in batch:
                assert await answer(bare) is not None, f"closed with {bare.close_code}"
        # Nothing was answered twice: the next reply is to this.
        await bare.say(messages.Ping(id=2**52 + 1))
        last = await answer(bare)
        assert isinstance(last, Ok)
        assert last.id == 2**52 + 1
    await siege.holds()
