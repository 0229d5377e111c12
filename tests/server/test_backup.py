"""A backup is everything, taken from under busy servers, and fits every kind of store."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import gzip
import hashlib
import json
import os
import pty
import re
import stat
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TypeAlias

import asyncpg
import pytest

import samedeal_client
from samedeal_client import Hall, Run, Terms
from samedeal_protocol import events as log_events
from samedeal_protocol.terms import Undo
from samedeal_server.adapters import log_postgres, log_sqlite
from samedeal_server.adapters.log_postgres import PostgresLeases, PostgresLog
from samedeal_server.adapters.log_sqlite import CannotOpen, SqliteLog
from samedeal_server.adapters.log_sqlite.schema import connect
from samedeal_server.audit import audit
from samedeal_server.backup import FORMAT, Backup, BadBackup, CannotBackUp, write
from samedeal_server.ports import Entry, Log, LogConflict, Player, RaceRow, Ruling
from samedeal_server.racing.commands import GiveUp
from samedeal_server.stored import Entrance, Record, StoredRace, records
from support.forked import KILL, forked
from support.postgres import database, empty_database
from support.processes import process
from support.races import OPENED, Track
from support.serving import environment

KINDS = ("sqlite", "postgres")
AT = 1_800_000_000_000
ALIVE_AT = 1_790_000_000_500


@dataclass(frozen=True, slots=True)
class Place:
    """Where a store is, as one says it to a command."""

    data: Path
    url: str | None = None

    @property
    def flags(self) -> tuple[str, str]:
        return ("--data", str(self.data)) if self.url is None else ("--store", self.url)

    def stored(self) -> log_sqlite.Stored | log_postgres.Stored:
        return log_sqlite.Stored(self.data) if self.url is None else log_postgres.Stored(self.url)

    def restore(self, content: Iterator[Record], *, alive_at: int | None = ALIVE_AT) -> None:
        if self.url is None:
            log_sqlite.restore(self.data, content, alive_at=alive_at)
        else:
            log_postgres.restore(self.url, content, alive_at=alive_at)

    @asynccontextmanager
    async def log(self) -> AsyncIterator[Log]:
        log: Log
        if self.url is None:
            log = await SqliteLog.open(self.data)
        else:
            log = await PostgresLog.open(self.url, node="a")
        try:
            yield log
        finally:
            await log.close()


Made: TypeAlias = Callable[[str], Awaitable[Place]]


@pytest.fixture
async def made(tmp_path: Path) -> AsyncIterator[Made]:
    """Makes places for stores of a kind."""
    async with AsyncExitStack() as stack:
        folders = (tmp_path / f"store-{number}" for number in count(1))

        async def make(kind: str) -> Place:
            url = None if kind == "sqlite" else await stack.enter_async_context(database())
            return Place(next(folders), url)

        yield make


# --- what is in the stores ---------------------------------------------------------------------


def lines_of(code: str, *, is_over: bool) -> list[bytes]:
    """The lines of a race that has ended, or that runs."""
    track = Track(Terms(game="opus"))
    track.start("ann", "bob")
    if is_over:
        track.do(GiveUp("ann"), after=1000)
        track.do(GiveUp("bob"), after=1000)
    first, *rest = [log_events.to_line(event) for event in track.log]
    return [first.replace(b'"race-1"', b'"%s"' % code.encode()), *rest]


def chat(text: str) -> bytes:
    said = log_events.Said(at=OPENED + 9_999_999, player="ann", name="Ann", text=text)
    return log_events.to_line(said)


def entries(code: str, lines: list[bytes]) -> list[Entry]:
    return [Entry(code, seq, line) for seq, line in enumerate(lines, 1)]


PLAYERS = [
    Player("ann", "Ann", False, hashlib.sha256(b"ann's token").digest(), AT),
    Player("bob", "Bób 🂡", True, hashlib.sha256(b"bob's token").digest(), AT + 1),
]
PHRASE_HASH = hashlib.sha256(b"a phrase").digest()


RULING = Ruling(
    number=1, at=AT, race="z-first", is_annulled=True, reason="Bób saw it ♠", differences=b"[]"
)


async def fill(place: Place) -> None:
    """Two races, one of them over and talked about afterwards, and those who are in them."""
    async with place.log() as log:
        for player in PLAYERS:
            await log.add_player(player)
        for code, is_over in (("z-first", True), ("a-second", False)):
            first, *rest = entries(code, lines_of(code, is_over=is_over))
            await log.open_race(
                first,
                opened_at=OPENED,
                is_listed=not is_over,
                phrase_hash=PHRASE_HASH if is_over else None,
            )
            await log.append(rest, over=[code] if is_over else [])
            for player in PLAYERS:
                await log.enter(player.player, code)
        await log.append([Entry("z-first", len(lines_of("", is_over=True)) + 1, chat("gg"))])
        await log.rule(RULING)
        await log.alive(ALIVE_AT)


def content(place: Place) -> list[Record]:
    with place.stored() as stored:
        assert stored.damage() == stored.strays() == []
        found = list(records(stored))
        assert stored.count() == sum(isinstance(each, StoredRace) for each in found)
        return found


def shared(found: list[Record]) -> list[Record]:
    """What every kind of store keeps: no note of the chain, and races by code."""
    races = [each for each in found if isinstance(each, StoredRace)]
    plain: list[Record] = [replace(each, head=None, head_seq=None) for each in races]
    plain.sort(key=lambda each: each.row.race if isinstance(each, StoredRace) else "")
    return [*plain, *(each for each in found if not isinstance(each, StoredRace))]


async def off(work: Callable[[], None]) -> None:
    """Does something that waits by itself, away from the loop."""
    await asyncio.to_thread(work)


def back_up(place: Place, file: Path) -> None:
    with place.stored() as stored:
        for _ in write(file, stored, at=AT):
            pass


def restore(file: Path, place: Place) -> None:
    with Backup(file) as backup:
        place.restore(backup.records(), alive_at=backup.alive_at)


@pytest.fixture
async def backup(tmp_path: Path) -> Path:
    """A backup of what `fill` stores."""
    place = Place(tmp_path / "source")
    await fill(place)
    file = tmp_path / "backup.gz"
    back_up(place, file)
    return file


# --- there and back again ----------------------------------------------------------------------


@pytest.mark.parametrize("there", KINDS)
@pytest.mark.parametrize("here", KINDS)
async def test_what_is_restored_is_what_was_there(
    made: Made, tmp_path: Path, here: str, there: str
) -> None:
    source, target, file = await made(here), await made(there), tmp_path / "backup.gz"
    await fill(source)
    before = await asyncio.to_thread(content, source)
    assert len(before) == 2 + len(PLAYERS) + 4 + 1
    await off(lambda: back_up(source, file))
    await off(lambda: restore(file, target))
    after = await asyncio.to_thread(content, target)
    assert shared(after) == shared(before)
    assert [audit(each) for each in after if isinstance(each, StoredRace)] == [[], []]
    if here == there:
        assert after == before


@pytest.mark.parametrize("kind", KINDS)
async def test_a_restored_store_goes_on_where_it_was(made: Made, backup: Path, kind: str) -> None:
    place = await made(kind)
    await off(lambda: restore(backup, place))
    ended, running = len(lines_of("", is_over=True)) + 2, len(lines_of("", is_over=False)) + 1
    async with place.log() as log:
        if isinstance(log, PostgresLog):
            leases = PostgresLeases(log)
            await leases.join()
            claims = [*await leases.claim_orphans(limit=9), await leases.claim("z-first")]
            assert [(claim.race, claim.since) for claim in claims if claim] == [
                ("a-second", ALIVE_AT),
                ("z-first", ALIVE_AT),
            ]
            epoch = 2
        else:
            assert await log.last_alive() == ALIVE_AT
            epoch = 1
        assert [row.race for row in await log.unfinished()] == ["a-second"]
        assert [each.race for each in await log.ended(limit=9)] == ["z-first"]
        assert await log.rulings() == [RULING]
        for code, seq in (("z-first", ended), ("a-second", running)):
            with pytest.raises(LogConflict):
                await log.append([Entry(code, seq - 1, chat("again"), epoch)])
            await log.append([Entry(code, seq, chat("more"), epoch)])
            assert (await log.read(code))[-1] == chat("more")
        assert await log.player_by_token(PLAYERS[1].token_hash) == PLAYERS[1]
        assert await log.races_of("ann", limit=9) == ["a-second", "z-first"]
        await log.enter("ann", "later")
        assert await log.races_of("ann", limit=1) == ["later"]
    found = await asyncio.to_thread(content, place)
    assert [audit(each) for each in found if isinstance(each, StoredRace)] == [[], []]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_change_before_the_backup_still_shows_afterwards(
    made: Made, tmp_path: Path, backup: Path, kind: str
) -> None:
    place = await made(kind)

    def changed() -> Iterator[Record]:
        with Backup(backup) as whole:
            for each in whole.records():
                if isinstance(each, StoredRace) and each.row.is_over:
                    lines = [line.replace(b'"Ann"', b'"Eve"') for line in each.lines]
                    yield replace(each, lines=lines)
                else:
                    yield each

    await off(lambda: place.restore(changed()))
    findings = [
        finding
        for each in await asyncio.to_thread(content, place)
        if isinstance(each, StoredRace)
        for finding in audit(each)
    ]
    assert findings == ["its events are not those that were stored: the hash chain differs"]


# --- all or nothing ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
async def test_what_fails_halfway_leaves_nothing(made: Made, backup: Path, kind: str) -> None:
    place = await made(kind)

    def cut() -> Iterator[Record]:
        with Backup(backup) as whole:
            yield from list(whole.records())[:-1]
        raise RuntimeError("cut")

    with pytest.raises(RuntimeError, match="cut"):
        await off(lambda: place.restore(cut()))
    assert await asyncio.to_thread(content, place) == []
    await off(lambda: restore(backup, place))
    assert await asyncio.to_thread(content, place) != []


@pytest.mark.parametrize("kind", KINDS)
async def test_a_store_that_has_anything_is_not_filled(made: Made, backup: Path, kind: str) -> None:
    place = await made(kind)
    async with place.log() as log:
        await log.add_player(PLAYERS[0])
    with pytest.raises(CannotOpen, match=r"has players already; .*(another|empty)"):
        await off(lambda: restore(backup, place))
    assert await asyncio.to_thread(content, place) == [PLAYERS[0]]


async def test_a_folder_that_a_server_uses_is_not_filled(tmp_path: Path, backup: Path) -> None:
    place = Place(tmp_path / "target")
    async with place.log():
        with pytest.raises(CannotOpen, match="another samedeal-server uses"):
            restore(backup, place)


async def test_a_database_that_a_node_serves_from_is_not_filled(made: Made, backup: Path) -> None:
    place = await made("postgres")
    async with place.log() as log:
        assert isinstance(log, PostgresLog)
        await PostgresLeases(log).join()
        with pytest.raises(CannotOpen, match=r"the node a serves from .*; stop it"):
            await off(lambda: restore(backup, place))


async def test_a_database_without_tables_is_not_filled(backup: Path, tmp_path: Path) -> None:
    async with empty_database() as url:
        with pytest.raises(CannotOpen, match="has no tables yet; run samedeal-server migrate"):
            await off(lambda: restore(backup, Place(tmp_path, url)))


def test_a_backup_that_is_cut_off_anywhere_is_refused(backup: Path) -> None:
    whole = backup.read_bytes()
    for length in (*range(0, len(whole), 13), len(whole) - 1):
        backup.write_bytes(whole[:length])
        with pytest.raises(BadBackup):
            Backup(backup)
    text = gzip.decompress(whole)
    for length in range(0, len(text), 29):
        backup.write_bytes(gzip.compress(text[:length]))
        with pytest.raises(BadBackup):
            Backup(backup)


def test_a_backup_of_which_any_byte_is_another_is_refused(backup: Path) -> None:
    whole = backup.read_bytes()
    for place in range(10, len(whole), 13):  # before that, gzip notes what nobody asks
        backup.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(BadBackup):
            Backup(backup)
    text = gzip.decompress(whole)
    for place in range(0, len(text), 29):
        backup.write_bytes(
            gzip.compress(text[:place] + bytes([text[place] ^ 1]) + text[place + 1 :])
        )
        with pytest.raises(BadBackup):
            Backup(backup)


def test_a_backup_with_a_line_less_or_more_is_refused(backup: Path) -> None:
    lines = gzip.decompress(backup.read_bytes()).splitlines(keepends=True)
    for number in range(len(lines)):
        backup.write_bytes(gzip.compress(b"".join(lines[:number] + lines[number + 1 :])))
        with pytest.raises(BadBackup):
            Backup(backup)
        backup.write_bytes(gzip.compress(b"".join(lines[: number + 1] + lines[number:])))
        with pytest.raises(BadBackup):
            Backup(backup)


def test_a_backup_of_a_newer_version_says_so(backup: Path) -> None:
    text = gzip.decompress(backup.read_bytes())
    newer = text.replace(b'"version":%d' % FORMAT, b'"version":%d' % (FORMAT + 1), 1)
    backup.write_bytes(gzip.compress(newer))
    with pytest.raises(BadBackup, match="written by a newer samedeal"):
        Backup(backup)


# --- the file ----------------------------------------------------------------------------------


def test_a_backup_can_be_read_without_us(backup: Path) -> None:
    *told, last = gzip.decompress(backup.read_bytes()).splitlines(keepends=True)
    header, end = json.loads(told[0]), json.loads(last)
    assert (header["is"], header["version"], header["at"]) == ("backup", FORMAT, AT)
    assert header["alive_at"] == ALIVE_AT
    assert end["sha256"] == hashlib.sha256(b"".join(told)).hexdigest()
    kinds = [json.loads(line).get("is") for line in told[1:]]
    assert end["tally"] == {
        "races": kinds.count("race"),
        "events": kinds.count(None),
        "players": kinds.count("player"),
        "entrances": kinds.count("entrance"),
        "rulings": kinds.count("ruling"),
    }
    (ann,) = [json.loads(line) for line in told if b'"Ann","bot"' in line]
    assert base64.b64decode(ann["token_hash"]) == PLAYERS[0].token_hash


def test_a_backup_is_for_its_owners_eyes(backup: Path) -> None:
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600


def test_a_backup_is_never_written_over(backup: Path, tmp_path: Path) -> None:
    before = backup.read_bytes()
    with pytest.raises(CannotBackUp, match="is there already; name another file with --to"):
        back_up(Place(tmp_path / "source"), backup)
    assert backup.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("delete from events where race = 'a-second' and seq = 2", "events of the race a-second"),
        ("delete from places where race = 'z-first'", "events of the race z-first are missing"),
        ("insert into events (race, seq, line) values ('x', 1, '')", "has events of no race"),
    ],
)
async def test_a_damaged_store_is_not_backed_up(tmp_path: Path, change: str, sentence: str) -> None:
    place, file = Place(tmp_path / "source"), tmp_path / "backup.gz"
    await fill(place)
    connection = connect(place.data / "samedeal.db")
    connection.execute(change)
    connection.close()
    with pytest.raises(CannotBackUp, match=sentence):
        back_up(place, file)
    assert os.listdir(tmp_path) == ["source"]


def many(races: int, events: int) -> Iterator[Record]:
    """A large store; every line is of a hundred bytes."""
    for number in range(races):
        code = f"race-{number:06d}"
        yield StoredRace(
            row=RaceRow(code, AT + number, bool(number % 2), None),
            is_listed=True,
            seqs=list(range(1, events + 1)),
            lines=[b"%0100d" % seq for seq in range(events)],
            head=None,
            head_seq=None,
            is_placed=True,
        )
    for number in range(races):
        name = f"player-{number}"
        yield Player(name, name, False, hashlib.sha256(name.encode()).digest(), AT)
        yield Entrance(name, f"race-{number:06d}")


@pytest.mark.parametrize("kind", KINDS)
async def test_no_more_is_held_in_memory_than_a_race(made: Made, tmp_path: Path, kind: str) -> None:
    source, target, file = await made(kind), await made(kind), tmp_path / "backup.gz"
    await off(lambda: source.restore(many(500, 100)))
    tracemalloc.start()
    try:
        await off(lambda: back_up(source, file))
        await off(lambda: restore(file, target))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4_000_000  # of 5 MB of lines, which would take 10 as objects


# --- the commands ------------------------------------------------------------------------------


async def command(home: Path, *arguments: str) -> tuple[int, str, str]:
    """Runs samedeal-server; returns its exit code and what it wrote."""
    running = await asyncio.create_subprocess_exec(
        *(*forked("samedeal_server"), *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(home),
    )
    out, err = await running.communicate()
    return running.returncode or 0, out.decode(), err.decode()


def test_the_records_of_every_kind_are_counted(backup: Path) -> None:
    with Backup(backup) as whole:
        kinds = [type(record) for record in whole.records()]
        assert set(kinds) == {StoredRace, Player, Entrance, Ruling}
        assert whole.tally.records == len(kinds)


async def test_restoring_never_tells_of_more_than_there_is(tmp_path: Path) -> None:
    source, file = Place(tmp_path / "source"), tmp_path / "backup.gz"
    source.restore(many(5000, 1))
    back_up(source, file)
    ours, theirs = pty.openpty()
    running = await asyncio.create_subprocess_exec(
        *(*forked("samedeal_server"), "restore", "--from", str(file)),
        *("--data", str(tmp_path / "target")),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=theirs,
        env=environment(tmp_path),
    )
    assert await running.wait() == 0
    told = os.read(ours, 65_536).decode()
    os.close(ours)
    os.close(theirs)
    for done, of in re.findall(r"([\d,]+) of ([\d,]+) records", told):
        assert int(done.replace(",", "")) <= int(of.replace(",", "")) == 15_000
    assert told.endswith("\r\033[K")


async def test_a_bad_backup_is_one_line(tmp_path: Path, backup: Path) -> None:
    os.truncate(backup, 400)
    target = tmp_path / "target"
    code, out, err = await command(
        tmp_path, "restore", "--from", str(backup), "--data", str(target)
    )
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "nothing was restored, name another backup" in err
    assert not target.exists()
    code, out, err = await command(tmp_path, "check", "--backup", str(backup))
    assert (code, err) == (1, "")
    assert out.startswith(f"{backup}: it is no gzip file, or a damaged one")


async def test_a_backup_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    for arguments in (("check", "--backup"), ("restore", "--from")):
        code, out, err = await command(tmp_path, *arguments, str(tmp_path / "none"))
        assert (code, out) == (2, "")
        assert err == (
            f"samedeal-server: {tmp_path}/none cannot be read (No such file or directory); "
            "name a backup's file\n"
        )


async def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    await fill(Place(tmp_path / "source"))
    where = ("--to", str(tmp_path / "none" / "x"), "--data", str(tmp_path / "source"))
    code, out, err = await command(tmp_path, "backup", *where)
    assert (code, out) == (2, "")
    assert err == (
        f"samedeal-server: {tmp_path}/none/x cannot be written (No such file or directory); "
        "name another file with --to\n"
    )


async def test_a_change_in_a_database_is_found(made: Made, tmp_path: Path) -> None:
    place = await made("postgres")
    assert place.url is not None
    await fill(place)
    assert await command(tmp_path, "check", *place.flags) == (
        0,
        "2 races, 18 events: all in order\n",
        "",
    )
    connection = await asyncpg.connect(place.url)
    await connection.execute(
        "delete from samedeal.events where race = 'a-second' and seq = 7;"
        "update samedeal.events set line = '\\x00' where race = 'z-first' and seq = 3;"
        "insert into samedeal.events values ('no-race', 1, '')"
    )
    await connection.close()
    code, out, _ = await command(tmp_path, "check", *place.flags)
    assert code == 1
    assert [line.partition(":")[0] for line in out.splitlines()] == [
        "race no-race",
        "race a-second",
        "race a-second",
        "race z-first",
        "2 races, 17 events",
    ]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_restoring_that_is_killed_leaves_nothing(
    made: Made, tmp_path: Path, backup: Path, kind: str
) -> None:
    place, large = made_large(tmp_path), tmp_path / "large.gz"
    back_up(place, large)
    target = await made(kind)
    running = await asyncio.create_subprocess_exec(
        *(*forked("samedeal_server"), "restore", "--from", str(large), *target.flags),
        env=environment(tmp_path),
    )
    while not await has_begun(target):
        assert running.returncode is None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.01):
                await running.wait()
    running.send_signal(KILL)
    await running.wait()
    await off(lambda: restore(backup, target))
    found = await asyncio.to_thread(content, target)
    assert sum(isinstance(each, StoredRace) for each in found) == 2


def made_large(folder: Path) -> Place:
    place = Place(folder / "large")
    place.restore(many(400, 100))
    return place


async def has_begun(place: Place) -> bool:
    """Whether somebody writes there."""
    if place.url is None:
        file = place.data / "samedeal.db-wal"
        return os.path.exists(file) and os.stat(file).st_size > 1_000_000  # noqa: ASYNC240
    connection = await asyncpg.connect(place.url)
    try:
        return bool(
            await connection.fetchval(
                "select true from pg_stat_activity where application_name like '%restoring' "
                "and query like 'COPY%' and datname = current_database()"
            )
        )
    finally:
        await connection.close()


# --- under load --------------------------------------------------------------------------------


@dataclass
class Load:
    """Races in which moves are played and taken back, again and again."""

    url: str
    acknowledged: dict[tuple[str, int], int] = field(default_factory=dict)
    """How many moves the server has acknowledged, by race and entrant."""
    tokens: dict[str, dict[int, str]] = field(default_factory=dict)
    """The entrants' tokens, by race."""
    ended: set[str] = field(default_factory=set)
    moved: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def moves(self) -> int:
        return sum(self.acknowledged.values())

    async def until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            self.moved.clear()
            await self.moved.wait()

    async def race(self, number: int, *, moves: int | None) -> None:
        """Plays a race of two; both give up after so many moves."""
        terms = Terms(game="streets-and-alleys", countdown=0, limit=None, undo=Undo.FREE)
        async with self.hall(f"Ann {number}") as ann, self.hall(f"Bob {number}") as bob:
            code = await ann.create(terms, seed=f"load-{number}")
            async with ann.join(code) as hers, bob.join(code) as his:
                self.tokens[code] = {hers.you: ann.token, his.you: bob.token}
                await asyncio.gather(hers.ready(), his.ready())
                await asyncio.gather(self.play(hers, moves), self.play(his, moves))
                await hers.over()
                self.ended.add(code)
                self.moved.set()

    def hall(self, name: str) -> AbstractAsyncContextManager[Hall]:
        return samedeal_client.connect(self.url, name=name)

    async def play(self, run: Run, moves: int | None) -> None:
        mine = (run.race, run.you)
        async for view in run:
            done = self.acknowledged.get(mine, 0)
            if done == moves:
                await run.give_up()
                return
            await (run.undo() if done % 2 else run.play(view.legal()[0]))
            self.acknowledged[mine] = done + 1
            self.moved.set()


def moves_in(race: StoredRace, entrant: int) -> int:
    events = [log_events.parse_line(line) for line in race.lines]
    moves = [each for each in events if isinstance(each, log_events.Played | log_events.Undone)]
    return sum(each.entrant == entrant for each in moves)


LOUD = ("--rate", "100000", "--burst", "100000", "--log-level", "warning", "--drain", "0")


@pytest.mark.parametrize(("here", "there"), [KINDS, KINDS[::-1]])
async def test_what_was_acknowledged_before_a_backup_is_in_it(
    made: Made, tmp_path: Path, here: str, there: str
) -> None:
    source, target, file = await made(here), await made(there), tmp_path / "backup.gz"
    async with process(source.data, *LOUD, *source.flags) as up:
        load = Load(f"ws://{up.address}")
        racing = [
            asyncio.create_task(load.race(number, moves=20 if number < 2 else None))
            for number in range(5)
        ]
        await load.until(lambda: len(load.ended) == 2 and load.moves > 300)
        before = dict(load.acknowledged)
        code, told, err = await command(tmp_path, "backup", "--to", str(file), *source.flags)
        assert (code, err) == (0, "")
        assert load.moves > sum(before.values())  # nobody had to wait for it
        assert not any(task.done() for task in racing[2:])
        for task in racing:
            task.cancel()
        await asyncio.gather(*racing, return_exceptions=True)
    with Backup(file) as backup:
        races = {race.row.race: race for race in backup.races()}
        assert told.startswith(f"{len(races)} races, {backup.tally.events:,} events, 10 players: ")
    for (race, entrant), moves in before.items():
        assert moves_in(races[race], entrant) >= moves
    for arguments in (("restore", "--from", str(file), *target.flags), ("check", *target.flags)):
        code, told, err = await command(tmp_path, *arguments)
        assert (code, err) == (0, ""), told
    assert told == f"5 races, {backup.tally.events:,} events: all in order\n"
    async with process(target.data, *LOUD, *target.flags) as up:
        for race, tokens in load.tokens.items():
            await finish(f"ws://{up.address}", race, tokens, is_over=race in load.ended)


async def finish(url: str, race: str, tokens: dict[int, str], *, is_over: bool) -> None:
    """The players come back, play a move each and give up; the replay is proved."""
    for token in tokens.values():
        async with samedeal_client.connect(url, token=token) as hall, hall.join(race) as run:
            if not is_over:
                view = await anext(aiter(run))
                await run.play(view.legal()[0])
                await run.give_up()
    async with samedeal_client.connect(url, token=next(iter(tokens.values()))) as hall:
        report = samedeal_client.verify(await hall.replay(race))
    assert report.passed, report.text()
