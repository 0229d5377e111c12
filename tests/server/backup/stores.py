"""Stores with two races in them, backups of these, and the commands for both."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from samedeal_client import Terms
from samedeal_protocol import events as log_events
from samedeal_server.adapters import log_postgres, log_sqlite
from samedeal_server.adapters.log_postgres import PostgresLog
from samedeal_server.adapters.log_sqlite import SqliteLog
from samedeal_server.backup import Backup, write
from samedeal_server.ports import Entry, Log, Player, RaceRow, Ruling
from samedeal_server.racing.commands import GiveUp
from samedeal_server.stored import Entrance, Record, StoredRace, records
from support.forked import forked
from support.races import OPENED, Track
from support.serving import environment

__all__ = [
    "ALIVE_AT",
    "AT",
    "KINDS",
    "PHRASE_HASH",
    "PLAYERS",
    "RULING",
    "Made",
    "Place",
    "back_up",
    "chat",
    "command",
    "content",
    "entries",
    "fill",
    "lines_of",
    "many",
    "off",
    "restore",
    "shared",
]

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
