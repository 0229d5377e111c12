"""What is restored is what was there, all of it or nothing, in every kind of store."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from samedeal_server.adapters.log_postgres import PostgresLeases, PostgresLog
from samedeal_server.adapters.log_sqlite import CannotOpen
from samedeal_server.audit import audit
from samedeal_server.backup import FORMAT, Backup, BadBackup
from samedeal_server.ports import Entry, LogConflict
from samedeal_server.stored import Record, StoredRace
from server.backup.stores import (
    ALIVE_AT,
    KINDS,
    PLAYERS,
    RULING,
    Made,
    Place,
    back_up,
    chat,
    content,
    fill,
    lines_of,
    off,
    restore,
    shared,
)
from support.postgres import empty_database


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
