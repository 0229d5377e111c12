"""What every log promises: order, all or nothing, names that are one player's, a memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from samedeal_server.adapters.log_postgres import PostgresLog
from samedeal_server.adapters.log_sqlite import SqliteLog
from samedeal_server.ports import Entry, Log, LogConflict, NameTaken, Player, Ruling
from support.fakes import EPOCH
from support.memory import MemoryLog
from support.postgres import database

DAY_MS = 86_400_000


@asynccontextmanager
async def memory(folder: Path) -> AsyncIterator[Log]:
    yield MemoryLog()


@asynccontextmanager
async def sqlite(folder: Path) -> AsyncIterator[Log]:
    log = await SqliteLog.open(folder)
    try:
        yield log
    finally:
        await log.close()


@asynccontextmanager
async def postgres(folder: Path) -> AsyncIterator[Log]:
    async with database() as url:
        log = await PostgresLog.open(url, node="a")
        try:
            yield log
        finally:
            await log.close()


LOGS: dict[str, Callable[[Path], AbstractAsyncContextManager[Log]]] = {
    "memory": memory,
    "sqlite": sqlite,
    "postgres": postgres,
}


@pytest.fixture(params=LOGS)
async def log(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Log]:
    async with LOGS[request.param](tmp_path) as log:
        yield log


async def open_race(
    log: Log, race: str = "r", *, at: int = EPOCH, phrase_hash: bytes | None = None
) -> None:
    entry = Entry(race, 1, b"opened")
    await log.open_race(entry, opened_at=at, is_listed=True, phrase_hash=phrase_hash)


def player(number: int, name: str, *, seen_at: int = EPOCH) -> Player:
    return Player(f"p{number}", name, False, b"hash-%d" % number, seen_at)


# --- events ------------------------------------------------------------------------------------


async def test_what_was_appended_is_read_back_in_order(log: Log) -> None:
    await open_race(log)
    await log.append([Entry("r", 2, b"two"), Entry("r", 3, b"three")])
    await log.append([Entry("r", 4, b"four")])
    assert await log.read("r") == [b"opened", b"two", b"three", b"four"]


async def test_reading_starts_after_a_seq(log: Log) -> None:
    await open_race(log)
    await log.append([Entry("r", seq, b"%d" % seq) for seq in range(2, 6)])
    assert await log.read("r", after=3) == [b"4", b"5"]
    assert await log.read("r", after=5) == []


async def test_reading_ends_after_so_many_lines(log: Log) -> None:
    await open_race(log)
    await log.append([Entry("r", seq, b"%d" % seq) for seq in range(2, 6)])
    assert await log.read("r", after=1, limit=2) == [b"2", b"3"]
    assert await log.read("r", after=4, limit=2) == [b"5"]
    assert await log.read("r", limit=0) == []


async def test_lines_are_kept_byte_for_byte(log: Log) -> None:
    await open_race(log)
    line = bytes(set(range(256)) - {0x0A}) + '{"text":"Zoë ♠"}'.encode()
    await log.append([Entry("r", 2, line)])
    assert (await log.read("r"))[1] == line


async def test_one_append_holds_events_of_many_races(log: Log) -> None:
    for race in ("a", "b"):
        await open_race(log, race)
    await log.append([Entry("a", 2, b"a2"), Entry("b", 2, b"b2"), Entry("a", 3, b"a3")])
    assert await log.read("a") == [b"opened", b"a2", b"a3"]
    assert await log.read("b") == [b"opened", b"b2"]


async def test_entries_of_one_race_that_repeat_or_skip_are_a_conflict(log: Log) -> None:
    await open_race(log)
    for seqs in ((2, 2), (2, 4), (2, 2, 4)):
        with pytest.raises(LogConflict):
            await log.append([Entry("r", seq, b"x") for seq in seqs])
    assert await log.read("r") == [b"opened"]


async def test_appending_nothing_is_no_fault(log: Log) -> None:
    await log.append([])


@pytest.mark.parametrize("seq", [0, 1, 2, 4, 9])
async def test_an_event_that_is_not_the_next_is_a_conflict(log: Log, seq: int) -> None:
    await open_race(log)
    await log.append([Entry("r", 2, b"two")])
    with pytest.raises(LogConflict):
        await log.append([Entry("r", seq, b"x")])
    assert await log.read("r") == [b"opened", b"two"]


@pytest.mark.parametrize("seq", [1, 2])
async def test_an_event_of_a_race_that_was_never_opened_is_a_conflict(log: Log, seq: int) -> None:
    with pytest.raises(LogConflict):
        await log.append([Entry("r", seq, b"x")])
    assert await log.read("r") == []


async def test_one_conflict_keeps_the_whole_append_out(log: Log) -> None:
    for race in ("a", "b"):
        await open_race(log, race)
    with pytest.raises(LogConflict):
        await log.append([Entry("a", 2, b"x"), Entry("b", 3, b"y")], over=["a"])
    assert await log.read("a") == [b"opened"]
    assert await log.read("b") == [b"opened"]
    assert [row.race for row in await log.unfinished()] == ["a", "b"]
    await log.append([Entry("a", 2, b"x")])


async def test_of_openings_at_once_of_one_code_all_but_one_are_conflicts(log: Log) -> None:
    outcomes = await asyncio.gather(
        *(
            log.open_race(
                Entry("r", 1, b"%d" % number), opened_at=1, is_listed=False, phrase_hash=None
            )
            for number in range(5)
        ),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes if outcome] == [LogConflict] * 4
    assert await log.read("r") == [b"%d" % outcomes.index(None)]
    await log.append([Entry("r", 2, b"two")])


async def test_of_two_appends_at_once_for_one_seq_one_is_a_conflict(log: Log) -> None:
    await open_race(log)
    outcomes = await asyncio.gather(
        *(log.append([Entry("r", 2, b"%d" % number)]) for number in range(5)),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes if outcome] == [LogConflict] * 4
    assert len(await log.read("r")) == 2


async def test_many_appends_at_once_are_all_there(log: Log) -> None:
    races = [f"r{number}" for number in range(50)]
    await asyncio.gather(*(open_race(log, race) for race in races))
    await asyncio.gather(*(log.append([Entry(race, 2, b"two")]) for race in races))
    assert [await log.read(race) for race in races] == [[b"opened", b"two"]] * 50


# --- races -------------------------------------------------------------------------------------


async def test_a_race_is_unfinished_until_it_is_marked_over(log: Log) -> None:
    await open_race(log, "late", at=EPOCH + 2)
    await open_race(log, "early", at=EPOCH + 1)
    await open_race(log, "done", at=EPOCH)
    await log.append([Entry("done", 2, b"over")], over=["done"])
    assert [row.race for row in await log.unfinished()] == ["early", "late"]
    row = await log.race("done")
    assert row is not None
    assert row.is_over


async def test_a_race_that_is_over_takes_more_events(log: Log) -> None:
    await open_race(log)
    await log.append([Entry("r", 2, b"over")], over=["r"])
    await log.append([Entry("r", 3, b"said")])
    assert await log.read("r") == [b"opened", b"over", b"said"]
    assert await log.unfinished() == []


async def test_a_race_keeps_when_it_was_opened_and_its_phrase(log: Log) -> None:
    await open_race(log, at=EPOCH + 7, phrase_hash=b"\x00hash")
    row = await log.race("r")
    assert row is not None
    assert (row.race, row.opened_at, row.is_over, row.phrase_hash) == (
        "r",
        EPOCH + 7,
        False,
        b"\x00hash",
    )


@pytest.mark.parametrize("code", ["r", "", "\0", "r\0", "♠" * 32])
async def test_there_is_no_race_of_an_unknown_code(log: Log, code: str) -> None:
    assert await log.race(code) is None
    assert await log.read(code) == []


async def test_nothing_is_read_after_more_events_than_there_can_be(log: Log) -> None:
    await open_race(log)
    assert await log.read("r", after=2**70) == []


async def test_a_code_in_use_is_a_conflict(log: Log) -> None:
    await open_race(log)
    with pytest.raises(LogConflict):
        await open_race(log)
    assert await log.read("r") == [b"opened"]


async def test_a_race_that_begins_with_another_seq_is_a_conflict(log: Log) -> None:
    with pytest.raises(LogConflict):
        await log.open_race(Entry("r", 2, b"x"), opened_at=1, is_listed=True, phrase_hash=None)
    assert await log.race("r") is None


async def test_a_players_races_are_listed_newest_first(log: Log) -> None:
    for number in range(5):
        await log.enter("p1", f"r{number}")
    await log.enter("p2", "other")
    await log.enter("p1", "r4")
    assert await log.races_of("p1", limit=3) == ["r4", "r3", "r2"]
    assert await log.races_of("p3", limit=3) == []


# --- tournaments, which are kept like races ----------------------------------------------------


async def announce(log: Log, code: str, *, at: int = EPOCH, is_listed: bool = True) -> None:
    entry = Entry(code, 1, b"announced")
    await log.open_race(entry, opened_at=at, is_listed=is_listed, phrase_hash=None)


async def cups(log: Log, *, over: bool = False, limit: int = 9) -> list[str]:
    return [row.race for row in await log.cups(over=over, limit=limit)]


async def test_tournaments_are_listed_newest_first_and_no_races_with_them(log: Log) -> None:
    await open_race(log, "cup")
    await open_race(log, "cups-r")
    for number in (2, 1, 3):
        await announce(log, f"cup-{number}", at=EPOCH + number)
    assert await cups(log) == ["cup-3", "cup-2", "cup-1"]
    assert await cups(log, limit=2) == ["cup-3", "cup-2"]


async def test_tournaments_that_are_over_are_listed_by_themselves(log: Log) -> None:
    await announce(log, "cup-a")
    await announce(log, "cup-b", at=EPOCH + 1)
    await log.append([Entry("cup-a", 2, b"over")], over=["cup-a"])
    assert await cups(log) == ["cup-b"]
    assert await cups(log, over=True) == ["cup-a"]


async def test_unlisted_tournaments_are_not_listed(log: Log) -> None:
    await announce(log, "cup-a", is_listed=False)
    assert await cups(log) == []


async def test_a_players_tournaments_are_told_apart_from_their_races(log: Log) -> None:
    await open_race(log, "r")
    await announce(log, "cup-a", is_listed=False)
    await announce(log, "cup-b")
    await announce(log, "cup-c")
    for code in ("cup-c", "cup-a", "r", "cup-b"):
        await log.enter("p1", code)
    await log.append([Entry("cup-a", 2, b"over")], over=["cup-a"])
    assert await log.races_of("p1", limit=9) == ["r"]
    rows = await log.cups_of("p1", over=False, limit=9)
    assert [(row.race, row.is_over) for row in rows] == [("cup-b", False), ("cup-c", False)]
    assert [row.race for row in await log.cups_of("p1", over=False, limit=1)] == ["cup-b"]
    rows = await log.cups_of("p1", over=True, limit=1)
    assert [(row.race, row.is_over) for row in rows] == [("cup-a", True)]
    assert await log.cups_of("p2", over=False, limit=9) == []


async def test_a_stream_is_closed_without_another_event(log: Log) -> None:
    await announce(log, "cup-a")
    await log.append([Entry("cup-a", 2, b"the end")])
    await log.append([], over=["cup-a"])
    row = await log.race("cup-a")
    assert row is not None
    assert row.is_over
    assert await log.read("cup-a") == [b"announced", b"the end"]
    assert await log.unfinished() == []


async def test_a_tournament_that_is_over_is_not_among_the_races_that_ended(log: Log) -> None:
    await announce(log, "cup-a")
    await open_race(log, "r")
    await log.append([Entry("cup-a", 2, b"over"), Entry("r", 2, b"x")], over=["cup-a", "r"])
    assert [each.race for each in await log.ended(limit=1)] == ["r"]


# --- races that have ended ---------------------------------------------------------------------


async def ends(log: Log, race: str, *, at: int = EPOCH) -> None:
    await open_race(log, race, at=at)
    await log.append([Entry(race, 2, b"over")], over=[race])


async def ended(log: Log, *, after: int = 0, limit: int = 100) -> list[str]:
    return [each.race for each in await log.ended(after=after, limit=limit)]


async def test_races_that_ended_are_told_in_the_order_in_which_they_did(log: Log) -> None:
    assert await log.ended(limit=9) == []
    for race in ("c", "a", "b"):
        await ends(log, race)
    await open_race(log, "unfinished")
    assert await ended(log) == ["c", "a", "b"]
    numbers = [each.number for each in await log.ended(limit=9)]
    assert numbers == sorted(set(numbers))


async def test_races_that_ended_are_told_from_a_number_on_and_no_more_than_asked(log: Log) -> None:
    for number in range(5):
        await ends(log, f"r{number}")
    first = await log.ended(limit=2)
    assert [each.race for each in first] == ["r0", "r1"]
    assert await ended(log, after=first[-1].number, limit=2) == ["r2", "r3"]
    assert await ended(log, after=first[-1].number) == ["r2", "r3", "r4"]
    last = (await log.ended(limit=9))[-1].number
    assert await ended(log, after=last) == []


async def test_a_race_ends_once_whatever_follows(log: Log) -> None:
    await ends(log, "r")
    await log.append([Entry("r", 3, b"said")])
    await log.append([Entry("r", 4, b"said")], over=["r"])
    assert await ended(log) == ["r"]


async def test_a_race_whose_end_was_refused_has_not_ended(log: Log) -> None:
    await open_race(log)
    with pytest.raises(LogConflict):
        await log.append([Entry("r", 3, b"over")], over=["r"])
    assert await log.ended(limit=9) == []


async def test_races_that_end_at_once_all_have_a_number(log: Log) -> None:
    races = [f"r{number}" for number in range(40)]
    await asyncio.gather(*(open_race(log, race) for race in races))
    seen: list[str] = []
    reached = 0

    async def look() -> None:
        nonlocal reached
        for each in await log.ended(after=reached, limit=100):
            seen.append(each.race)
            reached = each.number

    ending = [asyncio.create_task(log.append([Entry(r, 2, b"over")], over=[r])) for r in races]
    while not all(task.done() for task in ending):
        await look()
    await asyncio.gather(*ending)
    await look()
    assert sorted(seen) == sorted(races)


async def test_what_was_made_of_a_race_is_kept_with_its_end(log: Log) -> None:
    for race in ("a", "b"):
        await ends(log, race)
    await log.summarize({"a": b"old"})
    await log.summarize({"a": b"new", "nobody": b"x"})
    assert [(each.race, each.summary) for each in await log.ended(limit=9)] == [
        ("a", b"new"),
        ("b", None),
    ]


def ruling(race: str, *, is_annulled: bool = True) -> Ruling:
    return Ruling(
        at=EPOCH + 1,
        race=race,
        is_annulled=is_annulled,
        reason="Zoë had seen the deal ♠",
        differences=b"[1,2]",
    )


async def test_rulings_are_kept_in_order(log: Log) -> None:
    assert await log.rulings() == []
    given = [ruling("b"), ruling("a"), ruling("b", is_annulled=False)]
    for each in given:
        await log.rule(each)
    kept = await log.rulings()
    assert [replace(each, number=0) for each in kept] == given
    assert [each.race for each in await log.rulings(after=kept[0].number)] == ["a", "b"]
    assert await log.rulings(after=kept[-1].number) == []


# --- players -----------------------------------------------------------------------------------


async def test_a_player_is_found_by_token_and_by_nothing_else(log: Log) -> None:
    ann = replace(player(1, "Ann"), bot=True)
    await log.add_player(ann)
    assert await log.player_by_token(ann.token_hash) == ann
    assert await log.player_by_token(b"hash") is None


@pytest.mark.parametrize("name", ["Ann", "ANN", "\N{FULLWIDTH LATIN SMALL LETTER A}nn", " Ann "])
async def test_a_name_in_use_is_taken_however_it_is_written(log: Log, name: str) -> None:
    await log.add_player(player(1, "Ann"))
    with pytest.raises(NameTaken):
        await log.add_player(player(2, name))
    assert await log.player_by_token(b"hash-2") is None


@pytest.mark.parametrize("name", ["Ann", "ANN", " ann "])
async def test_a_player_is_found_by_name_however_it_is_written(log: Log, name: str) -> None:
    await log.add_player(player(1, "Ann"))
    found = await log.player_by_name(name)
    assert found == player(1, "Ann")


@pytest.mark.parametrize("name", ["Bob", "", "\0", "p1"])
async def test_nobody_is_found_by_a_name_that_nobody_has(log: Log, name: str) -> None:
    await log.add_player(player(1, "Ann"))
    assert await log.player_by_name(name) is None


async def test_players_are_found_by_their_ids(log: Log) -> None:
    for number, name in ((1, "Ann"), (2, "Bob"), (3, "Cat")):
        await log.add_player(player(number, name))
    found = await log.players(["p3", "p1", "p9", "\0"])
    assert {each.player: each.name for each in found} == {"p1": "Ann", "p3": "Cat"}
    assert await log.players([]) == []


async def test_renaming_to_a_name_in_use_is_refused(log: Log) -> None:
    await log.add_player(player(1, "Ann"))
    await log.add_player(player(2, "Bob"))
    with pytest.raises(NameTaken):
        await log.rename("p2", "ann")
    await log.rename("p2", "BOB")
    bob = await log.player_by_token(b"hash-2")
    assert bob is not None
    assert bob.name == "BOB"


async def test_renaming_frees_the_old_name(log: Log) -> None:
    await log.add_player(player(1, "Ann"))
    await log.rename("p1", "Anna")
    await log.add_player(player(2, "Ann"))


async def test_a_name_is_free_after_a_month_unseen(log: Log) -> None:
    await log.add_player(player(1, "Ann", seen_at=EPOCH))
    with pytest.raises(NameTaken):
        await log.add_player(player(2, "Ann", seen_at=EPOCH + 29 * DAY_MS))
    await log.add_player(player(2, "Ann", seen_at=EPOCH + 31 * DAY_MS))
    first, second = await log.player_by_token(b"hash-1"), await log.player_by_token(b"hash-2")
    assert first is not None
    assert second is not None
    assert (first.name, second.name) == ("Ann 2", "Ann")


async def test_being_seen_keeps_a_name(log: Log) -> None:
    await log.add_player(player(1, "Ann", seen_at=EPOCH))
    await log.seen("p1", EPOCH + 20 * DAY_MS)
    await log.seen("p1", EPOCH + 10 * DAY_MS)
    with pytest.raises(NameTaken):
        await log.add_player(player(2, "Ann", seen_at=EPOCH + 31 * DAY_MS))


async def test_an_unfinished_race_keeps_a_name(log: Log) -> None:
    await log.add_player(player(1, "Ann", seen_at=EPOCH))
    await open_race(log)
    await log.enter("p1", "r")
    late = EPOCH + 31 * DAY_MS
    with pytest.raises(NameTaken):
        await log.add_player(player(2, "Ann", seen_at=late))
    await log.append([Entry("r", 2, b"over")], over=["r"])
    await log.add_player(player(2, "Ann", seen_at=late))


async def test_who_is_moved_aside_gets_a_name_that_is_free(log: Log) -> None:
    long = "A" * 24
    await log.add_player(player(1, long, seen_at=EPOCH))
    await log.add_player(player(2, "A" * 22 + " 2", seen_at=EPOCH + 40 * DAY_MS))
    await log.add_player(player(3, long, seen_at=EPOCH + 40 * DAY_MS))
    first = await log.player_by_token(b"hash-1")
    assert first is not None
    assert first.name == "A" * 22 + " 3"


async def test_who_is_marked_a_bot_is_one_for_good(log: Log) -> None:
    await log.add_player(player(1, "Ann"))
    await log.mark_bot("p1")
    await log.seen("p1", EPOCH + 1)
    marked = await log.player_by_token(b"hash-1")
    assert marked is not None
    assert marked.bot


async def test_renaming_nobody_is_a_conflict(log: Log) -> None:
    with pytest.raises(LogConflict):
        await log.rename("p1", "Ann")


# --- the server's own life ---------------------------------------------------------------------


async def test_the_latest_sign_of_life_is_kept(log: Log) -> None:
    assert await log.last_alive() is None
    await log.alive(EPOCH + 5)
    await log.alive(EPOCH + 3)
    assert await log.last_alive() == EPOCH + 5


async def test_an_append_whose_caller_went_away_harms_nobody(log: Log) -> None:
    await open_race(log)
    task = asyncio.create_task(log.append([Entry("r", 2, b"two")]))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with suppress(LogConflict):  # appends keep their order, so the outcome is settled afterwards
        await log.append([Entry("r", 3, b"three")])
    stored = await log.read("r")
    await log.append([Entry("r", len(stored) + 1, b"next")])
    assert (await log.read("r"))[-1] == b"next"
