"""`samedeal-server backup`, `restore` and `check`, as people run and kill them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import re
from pathlib import Path

import asyncpg
import pytest

from samedeal_server.stored import StoredRace
from server.backup.stores import (
    KINDS,
    Made,
    Place,
    back_up,
    command,
    content,
    fill,
    many,
    off,
    restore,
)
from support.forked import KILL, forked
from support.serving import environment


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
