"""PostgreSQL itself: its schema, and what becomes of the log when it crashes, hangs or is gone."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from functools import reduce
from time import monotonic

import asyncpg
import pytest

from conftest import SOAK
from samedeal_protocol.events import CHAIN_START, link
from samedeal_server.adapters.log_postgres import (
    CannotOpen,
    PostgresLeases,
    PostgresLog,
    check,
    migrate,
)
from samedeal_server.adapters.log_postgres.schema import MIGRATIONS, place_of
from samedeal_server.ports import Entry, LogConflict, LogUnavailable, NameTaken, Player
from support.fakes import EPOCH
from support.postgres import Cluster, database, empty_database, own_cluster

LIMIT_S = 0.5
"""The patience of a log that is to lose it; every other waits until a busy machine is done."""
LATE_S = 15.0
"""How much later than promised a call may end on a machine that does other things as well."""
LONG_S = 60.0


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A cluster that the tests of this file may crash."""
    with own_cluster() as cluster:
        yield cluster


@pytest.fixture
async def frail(cluster: Cluster) -> AsyncIterator[str]:
    """A database in a cluster that may be crashed."""
    async with database(cluster) as url:
        yield url


@pytest.fixture
async def log(frail: str) -> AsyncIterator[PostgresLog]:
    """A log that waits for its database as long as it takes, with a race "r"."""
    async with logging(frail, limit=LONG_S) as log:
        yield log


@pytest.fixture
async def hasty(frail: str) -> AsyncIterator[PostgresLog]:
    """A log that waits half a second, with a race "r"."""
    async with logging(frail, limit=LIMIT_S) as log:
        yield log


@asynccontextmanager
async def logging(url: str, *, limit: float) -> AsyncIterator[PostgresLog]:
    log = await PostgresLog.open(url, node="a", limit=limit)
    try:
        while not await lines_of(log, "r"):
            with suppress(LogUnavailable, LogConflict):
                await open_race(log, "r")
        yield log
    finally:
        await log.close()


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with database() as url:
        yield url


async def open_race(log: PostgresLog, race: str) -> None:
    await log.open_race(Entry(race, 1, b"1"), opened_at=EPOCH, is_listed=True, phrase_hash=None)


async def once_reached(log: PostgresLog) -> None:
    """Asks until the database answers."""
    for _ in range(100):
        try:
            await log.store_now()
        except LogUnavailable:
            continue
        return
    raise AssertionError("the log did not find its database again")


async def lines_of(log: PostgresLog, race: str) -> list[bytes]:
    """Reads a race, once the database answers in time."""
    while True:
        try:
            return await log.read(race)
        except LogUnavailable:
            await once_reached(log)


async def write(log: PostgresLog, line: bytes) -> list[bytes]:
    """Appends to the race "r" until that is known to be stored; returns the race."""
    while True:
        lines = await lines_of(log, "r")
        if line in lines:
            return lines
        with suppress(LogUnavailable, LogConflict):
            await log.append([Entry("r", len(lines) + 1, line)])


async def value(url: str, statement: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


async def refusal(url: str) -> str:
    """Returns why a server refuses to start over a database, in one line."""
    with pytest.raises(CannotOpen) as caught:
        await PostgresLog.open(url, node="a")
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


# --- the schema --------------------------------------------------------------------------------


async def test_migrating_says_what_it_did_and_has_nothing_to_do_again() -> None:
    async with empty_database() as url:
        assert await migrate(url) == [
            f"schema {step.number - 1} -> {step.number}: {step.title}" for step in MIGRATIONS
        ]
        assert await migrate(url) == []
        await check(url)


async def test_of_two_who_migrate_at_once_one_does() -> None:
    async with empty_database() as url:
        done = await asyncio.gather(migrate(url), migrate(url))
        assert sorted(map(len, done)) == [0, len(MIGRATIONS)]


async def test_migrating_numbers_the_races_that_had_ended() -> None:
    async with empty_database() as url:
        connection = await asyncpg.connect(url)
        await connection.execute(MIGRATIONS[0].statements)
        await connection.execute(
            "insert into samedeal.schema_versions (version, title) values (1, 'first');"
            "insert into samedeal.races (race, opened_at, is_listed, is_over, last_seq, head) "
            "values ('late', 2, true, true, 1, ''), ('early', 1, true, true, 1, ''), "
            "('going', 1, true, false, 1, '')"
        )
        await connection.close()
        assert len(await migrate(url)) == len(MIGRATIONS) - 1
        log = await PostgresLog.open(url, node="a")
        try:
            assert [each.race for each in await log.ended(limit=9)] == ["early", "late"]
        finally:
            await log.close()


async def test_no_end_is_numbered_below_one_that_may_have_been_read(url: str) -> None:
    first, second = [await PostgresLog.open(url, node=name) for name in "ab"]
    holder = await asyncpg.connect(url)
    try:
        for log, race in ((first, "r1"), (second, "r2")):
            await open_race(log, race)
        # The first end is not visible yet: the second must not be before it is.
        await holder.execute("begin")
        one = "'{r1}', '{2}', '{1}', array['x'::bytea], '{r1}'"
        await holder.execute(f"select samedeal.append('a', '{first.incarnation}', {one})")
        ending = asyncio.create_task(second.append([Entry("r2", 2, b"x")], over=["r2"]))
        done, _ = await asyncio.wait({ending}, timeout=0.2)
        assert (done, await second.ended(limit=9)) == (set(), [])
        await holder.execute("commit")
        await ending
        assert [each.race for each in await second.ended(limit=9)] == ["r1", "r2"]
    finally:
        await holder.close()
        await first.close()
        await second.close()


def test_migrations_are_numbered_without_a_gap() -> None:
    assert [step.number for step in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))


async def test_an_empty_database_is_refused_with_what_to_run() -> None:
    async with empty_database() as url:
        place = place_of(url)
        assert await refusal(url) == (
            f"{place} has no tables yet; run samedeal-server migrate --store {place}"
        )


async def test_a_newer_schema_is_refused_by_server_and_migration(url: str) -> None:
    await value(url, "insert into samedeal.schema_versions values (99, 'from the future')")
    assert "newer samedeal (schema 99" in await refusal(url)
    with pytest.raises(CannotOpen, match="newer samedeal"):
        await migrate(url)


async def test_a_schema_of_that_name_that_is_not_ours_is_refused() -> None:
    async with empty_database() as url:
        await value(url, "create schema samedeal create table races (id integer)")
        assert "some other program" in await refusal(url)
        with pytest.raises(CannotOpen, match="some other program"):
            await migrate(url)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://user:secret@127.0.0.1:1/samedeal",
        "postgresql://user:secret@host.invalid/samedeal",
        "postgresql://user:secret@127.0.0.1:port/samedeal",
    ],
)
async def test_a_database_that_cannot_be_reached_is_named_without_its_password(url: str) -> None:
    sentence = await refusal(url)
    assert sentence.startswith(f"{place_of(url)} cannot be reached (")
    assert "secret" not in sentence


async def test_a_database_that_is_not_there_is_refused(url: str) -> None:
    assert "does not exist" in await refusal(f"{url}_not")


# --- what is stored ----------------------------------------------------------------------------


async def test_the_chains_head_is_kept_without_reading_the_race_again(url: str) -> None:
    log = await PostgresLog.open(url, node="a")
    await open_race(log, "r")
    await log.append([Entry("r", 2, b"2"), Entry("r", 3, b"3")])
    await log.append([Entry("r", 4, b"4")], over=["r"])
    head = reduce(link, [b"1", b"2", b"3", b"4"], CHAIN_START)
    rows = await log.fetch("select last_seq, head from samedeal.races")
    assert [tuple(row) for row in rows] == [(4, head)]
    await log.close()


async def test_what_has_returned_is_durable_whatever_the_databases_default(url: str) -> None:
    name = await value(url, "select current_database()")
    await value(url, f"alter database {name} set synchronous_commit = off")
    log = await PostgresLog.open(url, node="a")
    rows = await log.fetch("show synchronous_commit")
    assert [row[0] for row in rows] == ["on"]
    await log.close()


async def test_a_name_is_one_players_however_many_nodes_give_it_at_once(url: str) -> None:
    logs = [await PostgresLog.open(url, node=f"n{number}") for number in range(3)]
    players = [Player(f"p{n}", "Ann", False, b"%d" % n, EPOCH) for n in range(12)]
    outcomes = await asyncio.gather(
        *(logs[n % 3].add_player(player) for n, player in enumerate(players)),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes if outcome] == [NameTaken] * 11
    for log in logs:
        await log.close()


async def test_a_name_out_of_use_passes_to_one_of_many_at_once(url: str) -> None:
    log, other = [await PostgresLog.open(url, node=node) for node in ("a", "b")]
    await log.add_player(Player("old", "Ann", False, b"old", 0))
    for number in range(2, 70):
        await log.add_player(Player(f"x{number}", f"Ann {number}", False, b"%d" % number, EPOCH))
    outcomes = await asyncio.gather(
        *(
            each.add_player(Player(f"new{n}", "Ann", False, b"new%d" % n, EPOCH))
            for n, each in enumerate([log, other] * 3)
        ),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes if outcome] == [NameTaken] * 5
    old = await log.player_by_token(b"old")
    assert old is not None
    assert old.name == "Ann 70"
    await log.close()
    await other.close()


async def test_a_player_who_is_there_already_is_a_conflict(url: str) -> None:
    log = await PostgresLog.open(url, node="a")
    await log.add_player(Player("p", "Ann", False, b"hash", EPOCH))
    for again in (Player("p", "Bob", False, b"other", 1), Player("q", "Bob", False, b"hash", 1)):
        with pytest.raises(LogConflict):
            await log.add_player(again)
    await log.close()


async def test_the_stores_clock_goes_on(url: str) -> None:
    log = await PostgresLog.open(url, node="a")
    before = await log.store_now()
    assert before <= await log.store_now() < before + 60_000
    await log.close()


# --- when the database goes away ---------------------------------------------------------------


async def write_on(log: PostgresLog, race: str, acknowledged: dict[str, int]) -> None:
    """Appends for ever; what it cannot know it reads again, as a server does."""
    seq = 1
    while True:
        try:
            await log.append([Entry(race, seq + 1, b"%d" % (seq + 1))])
            seq += 1
            acknowledged[race] = seq
        except (LogUnavailable, LogConflict):
            seq = len(await lines_of(log, race))


async def test_whatever_was_acknowledged_survives_crashes_of_the_database(
    cluster: Cluster, log: PostgresLog
) -> None:
    races = [f"r{number}" for number in range(8)]
    for race in races:
        await open_race(log, race)
    acknowledged = dict.fromkeys(races, 1)
    chance = random.Random(20261130)
    async with asyncio.TaskGroup() as group:
        writers = [group.create_task(write_on(log, race, acknowledged)) for race in races]
        for _ in range(3 * SOAK):
            before = dict(acknowledged)
            while any(acknowledged[race] == before[race] for race in races):
                await once_reached(log)
            for _ in range(chance.randrange(20)):
                await once_reached(log)
            cluster.crash()
            await cluster.start()
        await once_reached(log)
        for writer in writers:
            writer.cancel()
    for race in races:
        lines = await lines_of(log, race)
        assert len(lines) >= acknowledged[race]
        assert lines == [b"%d" % seq for seq in range(1, len(lines) + 1)]
        rows = await log.fetch("select head from samedeal.races where race = $1", race)
        assert rows[0][0] == reduce(link, lines, CHAIN_START)


async def test_a_commit_that_the_connection_does_not_survive_is_unknown_at_once(
    cluster: Cluster, log: PostgresLog
) -> None:
    await log.append([Entry("r", 2, b"2")])  # it has a connection to lose
    cluster.freeze()
    pending = asyncio.create_task(log.append([Entry("r", 3, b"3")]))
    await asyncio.sleep(0)
    cluster.crash()
    began = monotonic()
    with pytest.raises(LogUnavailable):
        await pending
    assert monotonic() - began < LONG_S / 2
    await cluster.start()
    assert await write(log, b"x") in ([b"1", b"2", b"x"], [b"1", b"2", b"3", b"x"])


async def test_a_stopped_database_is_unavailable_and_then_found_again(
    cluster: Cluster, hasty: PostgresLog
) -> None:
    cluster.stop()
    try:
        for _ in range(3):
            began = monotonic()
            with pytest.raises(LogUnavailable):
                await hasty.append([Entry("r", 2, b"2")])
            with pytest.raises(LogUnavailable):
                await PostgresLeases(hasty).nodes()
            assert monotonic() - began < 2 * LIMIT_S + LATE_S
    finally:
        await cluster.start()
    assert await write(hasty, b"x") == [b"1", b"x"]


async def test_a_short_absence_is_waited_out(cluster: Cluster) -> None:
    async with database(cluster) as url:
        log = await PostgresLog.open(url, node="a", limit=LONG_S)
        await open_race(log, "r")
        cluster.stop()
        waiting = asyncio.create_task(log.append([Entry("r", 2, b"2")]))
        await cluster.start()
        await waiting
        await log.close()


async def test_a_database_that_hangs_is_unavailable_within_the_limit(
    cluster: Cluster, hasty: PostgresLog
) -> None:
    cluster.freeze()
    try:
        for _ in range(2):  # over the old connections, then while making new ones
            began = monotonic()
            outcomes = await asyncio.gather(
                hasty.append([Entry("r", 2, b"2")]),
                *(hasty.read("r") for _ in range(10)),
                return_exceptions=True,
            )
            assert {type(outcome) for outcome in outcomes} == {LogUnavailable}
            assert monotonic() - began < LIMIT_S + LATE_S
    finally:
        cluster.thaw()
    assert await write(hasty, b"x") in ([b"1", b"x"], [b"1", b"2", b"x"])


async def test_closing_over_a_database_that_hangs_ends(cluster: Cluster) -> None:
    async with database(cluster) as url:
        log = await PostgresLog.open(url, node="a", limit=LIMIT_S)
        await once_reached(log)
        cluster.freeze()
        try:
            pending = asyncio.create_task(log.read("r"))
            await asyncio.sleep(0)
            began = monotonic()
            await log.close()
            assert monotonic() - began < 2 * LIMIT_S + 2 + LATE_S
            with pytest.raises(LogUnavailable):
                await pending
            with pytest.raises(LogUnavailable):
                await log.read("r")
        finally:
            cluster.thaw()


async def test_who_waits_for_a_lock_too_long_has_stored_nothing(
    frail: str, hasty: PostgresLog
) -> None:
    other = await asyncpg.connect(frail)
    async with other.transaction():
        await other.execute("select from samedeal.races where race = 'r' for update")
        with pytest.raises(LogUnavailable):
            await hasty.append([Entry("r", 2, b"2")])
        # The database gives up as well: nothing waits there to be stored later.
        waits = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
        while await other.fetchval(waits):
            continue
    assert await write(hasty, b"two") == [b"1", b"two"]
    await other.close()


async def test_a_connection_that_the_database_ends_is_replaced(url: str) -> None:
    log = await PostgresLog.open(url, node="a")
    await open_race(log, "r")
    for seq in range(2, 5):
        await log.append([Entry("r", seq, b"%d" % seq)])
        await value(
            url,
            "select count(pg_terminate_backend(pid)) from pg_stat_activity "
            "where application_name like 'samedeal-server%' and datname = current_database()",
        )
        await once_reached(log)
    assert len(await log.read("r")) == 4
    await log.close()
