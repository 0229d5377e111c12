"""The file of a backup: who may read it, with what, and what it costs to write it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import stat
import tracemalloc
from pathlib import Path

import pytest

from samedeal_server.adapters.log_sqlite.schema import connect
from samedeal_server.backup import FORMAT, Backup, CannotBackUp
from samedeal_server.ports import Player, Ruling
from samedeal_server.stored import Entrance, StoredRace
from server.backup.stores import (
    ALIVE_AT,
    AT,
    KINDS,
    PLAYERS,
    Made,
    Place,
    back_up,
    fill,
    many,
    off,
    restore,
)


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


def test_the_records_of_every_kind_are_counted(backup: Path) -> None:
    with Backup(backup) as whole:
        kinds = [type(record) for record in whole.records()]
        assert set(kinds) == {StoredRace, Player, Entrance, Ruling}
        assert whole.tally.records == len(kinds)
