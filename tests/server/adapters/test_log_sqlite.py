"""What the SQLite log does beyond its port: owning its folder, surviving disks, finding places."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from conftest import SOAK
from samedeal_protocol.events import CHAIN_START, link
from samedeal_server.adapters.log_sqlite import CannotOpen, SqliteLog, Stored, rule
from samedeal_server.adapters.log_sqlite.journal import Journal, pack, unpack
from samedeal_server.adapters.log_sqlite.schema import APPLICATION, MIGRATIONS, open_store
from samedeal_server.ports import Entry, LogConflict, LogUnavailable, Player, Ruling

RULING = Ruling(number=1, at=5, race="r", is_annulled=True, reason="why", differences=b"[]")
LINE = b'{"event":"played","at":1800000000000,"entrant":1,"number":1,"move":"T1-F1"}'


@asynccontextmanager
async def opened(folder: Path, *, place_every: int = 100_000) -> AsyncIterator[SqliteLog]:
    log = await SqliteLog.open(folder, place_every=place_every)
    try:
        yield log
    finally:
        await log.close()


async def open_race(log: SqliteLog, race: str = "r") -> None:
    await log.open_race(Entry(race, 1, b"opened"), opened_at=1, is_listed=True, phrase_hash=None)


def edit(folder: Path, *statements: str) -> None:
    connection = sqlite3.connect(folder / "samedeal.db")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


async def cannot_open(folder: Path) -> str:
    with pytest.raises(CannotOpen) as caught:
        await SqliteLog.open(folder)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


# --- opening -----------------------------------------------------------------------------------


async def test_everything_is_there_again_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as log:
        await open_race(log)
        await log.append([Entry("r", seq, b"%d" % seq) for seq in range(2, 300)])
        await log.add_player(Player("p", "Ann", False, b"hash", 5))
        await log.enter("p", "r")
        await log.alive(7)
    async with opened(tmp_path) as log:
        assert await log.read("r") == [b"opened", *(b"%d" % seq for seq in range(2, 300))]
        assert await log.player_by_token(b"hash") == Player("p", "Ann", False, b"hash", 5)
        assert await log.races_of("p", limit=9) == ["r"]
        assert await log.last_alive() == 7
        await log.append([Entry("r", 300, b"300")])


async def test_the_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    async with opened(folder):
        assert folder.stat().st_mode & 0o777 == 0o700


async def test_a_second_server_on_the_folder_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path):
        assert await cannot_open(tmp_path) == (
            f"another samedeal-server uses {tmp_path}; stop it, or choose another --data"
        )
    async with opened(tmp_path):
        """The folder is free again."""


async def test_a_second_process_on_the_folder_is_refused(tmp_path: Path) -> None:
    script = (
        "import asyncio, sys; from pathlib import Path\n"
        "from samedeal_server.adapters.log_sqlite import CannotOpen, SqliteLog\n"
        "try: asyncio.run(SqliteLog.open(Path(sys.argv[1])))\n"
        "except CannotOpen as fault: print(fault)\n"
    )
    async with opened(tmp_path):
        other = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-c", script, str(tmp_path)],
            capture_output=True,
            text=True,
            check=True,
        )
    assert other.stdout.startswith(f"another samedeal-server uses {tmp_path}")


async def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path):
        """Makes the file."""
    edit(tmp_path, f"pragma user_version = {len(MIGRATIONS) + 1}")
    assert "was written by a newer samedeal" in await cannot_open(tmp_path)


def an_older_file(folder: Path) -> None:
    """Makes a file of the first schema, with one race that has ended and one that has not."""
    edit(
        folder,
        *MIGRATIONS[0],
        "insert into races (race, opened_at, is_listed, is_over) "
        "values ('late', 2, 1, 1), ('early', 1, 1, 1), ('going', 1, 1, 0)",
        f"pragma application_id = {APPLICATION}",
        "pragma user_version = 1",
    )


async def test_an_older_file_is_brought_up_to_date_with_the_races_that_have_ended(
    tmp_path: Path,
) -> None:
    an_older_file(tmp_path)
    async with opened(tmp_path) as log:
        assert [each.race for each in await log.ended(limit=9)] == ["early", "late"]
        assert await log.rulings() == []


def test_an_older_file_is_looked_at_as_it_is(tmp_path: Path) -> None:
    an_older_file(tmp_path)
    with Stored(tmp_path) as stored:
        assert stored.count() == 3
        assert list(stored.rulings()) == []


def test_nothing_is_ruled_in_an_older_file(tmp_path: Path) -> None:
    an_older_file(tmp_path)
    with pytest.raises(CannotOpen, match="start the server once"):
        rule(tmp_path, RULING)


async def test_what_is_ruled_beside_a_running_server_is_there(tmp_path: Path) -> None:
    async with opened(tmp_path) as log:
        await open_race(log)
        await asyncio.to_thread(rule, tmp_path, RULING)
        await log.append([Entry("r", 2, b"two")])
        assert await log.rulings() == [RULING]


def test_nothing_is_ruled_where_no_server_was(tmp_path: Path) -> None:
    with pytest.raises(CannotOpen, match="name a server's folder"):
        rule(tmp_path, RULING)
    assert list(tmp_path.iterdir()) == []


async def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    edit(tmp_path, "create table theirs (x)")
    assert "is some other program's database" in await cannot_open(tmp_path)
    edit(tmp_path, "insert into theirs values (1)")


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "samedeal.db").write_text("hello " * 1000)
    assert "file is not a database" in await cannot_open(tmp_path)


async def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    sentence = await cannot_open(tmp_path / "data")
    assert sentence.endswith("cannot be made (File exists); choose another --data")


async def test_a_refused_folder_is_not_held(tmp_path: Path) -> None:
    edit(tmp_path, "create table theirs (x)")
    await cannot_open(tmp_path)
    (tmp_path / "samedeal.db").unlink()
    async with opened(tmp_path):
        """It can be owned."""


async def test_a_race_that_lost_an_event_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path) as log:
        await open_race(log)
        await log.append([Entry("r", seq, LINE) for seq in (2, 3)])
    edit(
        tmp_path,
        "update server set placed = 0",
        "delete from places",
        "delete from events where seq = 2",
    )
    assert (await cannot_open(tmp_path)).startswith("event 2 of race r is missing")


async def test_every_migration_leads_to_the_schema_of_a_new_file(tmp_path: Path) -> None:
    async with opened(tmp_path):
        """Makes the file."""
    connection = sqlite3.connect(tmp_path / "samedeal.db")
    tables = {name for (name,) in connection.execute("select name from sqlite_schema")}
    connection.close()
    assert {"races", "events", "places", "players", "entries", "server", "unfinished"} <= tables


# --- places ------------------------------------------------------------------------------------


def test_ids_are_stored_eight_bytes_each_low_byte_first() -> None:
    assert unpack(bytes([1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0])).tolist() == [1, 512]
    assert pack(unpack(bytes(range(64)))) == bytes(range(64))


async def test_places_stored_meanwhile_change_nothing_to_be_seen(tmp_path: Path) -> None:
    async with opened(tmp_path, place_every=10) as log:
        for race in "abc":
            await open_race(log, race)
        for seq in range(2, 40):
            await log.append([Entry(race, seq, b"%d" % seq) for race in "abc"])
        await log.append([], over=["b"])
        wanted = [b"opened", *(b"%d" % seq for seq in range(2, 40))]
        assert [await log.read(race) for race in "abc"] == [wanted] * 3
    async with opened(tmp_path) as log:
        assert [await log.read(race) for race in "abc"] == [wanted] * 3


async def test_a_race_may_end_and_go_on_in_one_transaction(tmp_path: Path) -> None:
    async with opened(tmp_path) as log:
        await open_race(log)
        await asyncio.gather(
            log.append([Entry("r", 2, b"over")], over=["r"]),
            log.append([Entry("r", 3, b"said")]),
            log.append([Entry("r", 4, b"said more")]),
        )
        assert await log.read("r", after=1) == [b"over", b"said", b"said more"]
    async with opened(tmp_path) as log:
        assert await log.read("r", after=1) == [b"over", b"said", b"said more"]
        with pytest.raises(LogConflict):
            await log.append([Entry("r", 4, b"again")])


async def test_the_end_of_a_race_keeps_its_hash(tmp_path: Path) -> None:
    async with opened(tmp_path) as log:
        await open_race(log)
        await log.append([Entry("r", 2, b"over")], over=["r"])
        await log.append([Entry("r", 3, b"said")])
    with Stored(tmp_path) as stored:
        (race,) = stored.races()
    assert race.head == link(link(CHAIN_START, b"opened"), b"over")
    assert (race.head_seq, race.seqs, race.is_placed) == (2, [1, 2, 3], True)


async def test_a_refusal_among_writes_of_one_transaction_harms_no_other(tmp_path: Path) -> None:
    async with opened(tmp_path) as log:
        await open_race(log, "a")
        outcomes = await asyncio.gather(
            log.append([Entry("a", 2, b"two")]),
            open_race(log, "a"),
            log.append([Entry("a", 9, b"nine")]),
            open_race(log, "b"),
            log.append([Entry("b", 2, b"two")]),
            return_exceptions=True,
        )
        assert [type(each) for each in outcomes if each] == [LogConflict, LogConflict]
        assert await log.read("a") == await log.read("b") == [b"opened", b"two"]


@pytest.mark.parametrize("number", [1, 2, 127, 128, 129, 256, 257, 700])
async def test_groups_of_any_size_are_stored_whole(tmp_path: Path, number: int) -> None:
    async with opened(tmp_path) as log:
        await open_race(log)
        await log.append([Entry("r", seq, b"%d" % seq) for seq in range(2, 2 + number)])
        await log.append([Entry("r", 2 + number, b"last")])
        lines = await log.read("r")
    assert lines == [b"opened", *(b"%d" % seq for seq in range(2, 2 + number)), b"last"]


async def test_a_long_read_delays_no_append(tmp_path: Path) -> None:
    async with opened(tmp_path) as log:
        await open_race(log)
        await log.append([Entry("r", seq, LINE) for seq in range(2, 2000)])
        reads = [asyncio.create_task(log.read("r")) for _ in range(60)]
        await asyncio.sleep(0)
        await log.append([Entry("r", 2000, LINE)])
        assert not all(read.done() for read in reads)
        await asyncio.gather(*reads)


# --- disks -------------------------------------------------------------------------------------


async def test_after_a_full_disk_nothing_is_stored_and_the_log_goes_on(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    log = SqliteLog(store, Journal(store.write))
    await open_race(log)
    (pages,) = store.write.execute("pragma page_count").fetchone()
    store.write.execute(f"pragma max_page_count = {pages}")
    with pytest.raises(LogUnavailable, match="full"):
        await log.append([Entry("r", seq, LINE) for seq in range(2, 500)])
    assert await log.read("r") == [b"opened"]
    assert log.fault is None
    store.write.execute("pragma max_page_count = 1000000")
    await log.append([Entry("r", seq, LINE) for seq in range(2, 500)])
    assert len(await log.read("r")) == 499
    await log.close()


async def test_after_an_io_error_everything_is_refused(tmp_path: Path) -> None:
    # A process that may write only so much to a file gets EFBIG: to SQLite an I/O error.
    script = (
        "import asyncio, resource, sys; from pathlib import Path\n"
        "from samedeal_server.adapters.log_sqlite import SqliteLog\n"
        "from samedeal_server.ports import Entry, LogUnavailable\n"
        "async def main():\n"
        "    log = await SqliteLog.open(Path(sys.argv[1]))\n"
        "    first = Entry('r', 1, b'o')\n"
        "    await log.open_race(first, opened_at=1, is_listed=True, phrase_hash=None)\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))\n"
        "    try: await log.append([Entry('r', seq, b'x' * 1000) for seq in range(2, 500)])\n"
        "    except LogUnavailable: print('unknown', log.fault is not None)\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)\n"
        "    for ask in (log.read('r'), log.alive(1)):\n"
        "        try: await ask\n"
        "        except LogUnavailable as fault: print(fault)\n"
        "    await log.close()\n"
        "asyncio.run(main())\n"
    )
    ran = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    first, *others = ran.stdout.splitlines()
    assert first == "unknown True"
    assert len(others) == 2
    assert all(line.endswith("mend the disk, then start the server again") for line in others)
    async with opened(tmp_path) as log:
        assert (await log.read("r"))[0] == b"o"


async def test_after_the_close_everything_is_refused(tmp_path: Path) -> None:
    log = await SqliteLog.open(tmp_path)
    await log.close()
    await log.close()
    with pytest.raises(LogUnavailable, match="closed"):
        await log.read("r")
    with pytest.raises(LogUnavailable, match="closed"):
        await log.alive(1)


async def test_what_was_asked_before_the_close_is_done(tmp_path: Path) -> None:
    log = await SqliteLog.open(tmp_path)
    await open_race(log)
    append = asyncio.create_task(log.append([Entry("r", 2, b"two")]))
    await asyncio.sleep(0)
    await log.close()
    await append
    async with opened(tmp_path) as again:
        assert await again.read("r") == [b"opened", b"two"]


# --- size --------------------------------------------------------------------------------------


async def test_thousands_of_races_are_found_again(tmp_path: Path) -> None:
    races = [f"race-{number}" for number in range(1000 * min(SOAK, 10))]
    async with opened(tmp_path) as log:
        await asyncio.gather(*(open_race(log, race) for race in races))
        for seq in range(2, 12):
            await log.append([Entry(race, seq, LINE) for race in races])
        await log.append([], over=races[1::2])
    async with opened(tmp_path) as log:
        unfinished = [row.race for row in await log.unfinished()]
        assert sorted(unfinished) == sorted(races[::2])
        lines = await asyncio.gather(*(log.read(race) for race in unfinished))
        assert {len(each) for each in lines} == {11}
