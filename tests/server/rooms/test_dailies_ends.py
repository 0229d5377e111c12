"""What becomes of the days on one node: their ends, streaks over them, the league of a week."""

from __future__ import annotations

import pytest

from samedeal_client.verify import verify
from samedeal_protocol import messages
from samedeal_protocol.daily import Attempt
from samedeal_rules import move_text
from samedeal_rules.shuffle import commitment
from samedeal_server.daily.days import Day
from samedeal_server.gateway.reels import replay_file
from samedeal_server.rooms.dailies import KEPT_DAYS, STREAK_DAYS
from support.days import (
    FIRST,
    HOUR,
    ROOM,
    at_day,
    begin,
    daily,
    days,
    enter,
    give_up,
    next_day,
    win,
)
from support.halls import Person
from support.races import WIN_SEED


async def test_a_day_ends_at_midnight_and_shows_all() -> None:
    async with days() as hall:
        ada, ben = await hall.person("Ada"), await hall.person("Ben")
        await win(ada, after_ms=4000)
        hall.world.clock.advance(15 * HOUR + 3_590_000)
        await begin(ben)
        left = FIRST.closes_at - hall.world.clock.now()
        await hall.pass_time(left - 1)
        assert (await daily(ben)).attempt is Attempt.PLAYING
        await hall.pass_time(1)
        sheet = await daily(ben, FIRST)
        assert [(line.name, line.state) for line in sheet.lines] == [
            ("Ada", "finished"),
            ("Ben", "out-of-time"),
        ]
        assert (sheet.is_over, sheet.is_hidden, sheet.closes_in_ms) == (True, False, None)
        assert sheet.seed is not None
        assert sheet.salt is not None
        assert commitment(sheet.seed, sheet.salt) == sheet.commitment


async def test_a_day_whose_rooms_have_not_ended_yet_is_not_over() -> None:
    """Its time is past, and nobody has told the rooms so."""
    async with days() as hall:
        ada, ben = await hall.person("Ada"), await hall.person("Ben")
        await win(ada)
        await begin(ben)
        hall.world.clock.advance(FIRST.closes_at - hall.world.clock.now())
        sheet = await daily(ben, FIRST)
        assert (sheet.is_over, sheet.closes_in_ms, sheet.is_hidden) == (False, None, True)
        assert (sheet.lines, sheet.seed) == ((), None)
        await hall.pass_time(0)
        assert (await daily(ben, FIRST)).is_over


async def test_who_loses_the_connection_keeps_their_attempt_while_the_clock_runs() -> None:
    async with days() as hall:
        ada = await hall.person("Ada")
        await begin(ada)
        ada.leave()
        await hall.pass_time(59 * 60_000)
        again = await hall.again(ada)
        assert (await daily(again)).attempt is Attempt.PLAYING
        await hall.pass_time(60_000)
        sheet = await daily(again)
        assert sheet.own is not None
        assert sheet.own.state == "out-of-time"


async def test_who_entered_and_never_opened_the_deal_is_on_no_board() -> None:
    async with days() as hall:
        ada, ben = await hall.person("Ada"), await hall.person("Ben")
        await enter(ada)
        await give_up(ben)
        await next_day(hall)
        sheet = await daily(ada, FIRST)
        assert ([line.name for line in sheet.lines], sheet.attempt) == (["Ben"], Attempt.NONE)


async def test_a_day_that_nobody_played_is_over_and_empty() -> None:
    async with days() as hall:
        sheet = await daily(await hall.person("Ada"), FIRST.before)
        assert (sheet.is_over, sheet.played, sheet.commitment) == (True, 0, None)
        assert await hall.world.log.race("daily-20270123") is None


async def test_the_next_day_is_another_deal_of_the_next_game() -> None:
    async with days() as hall:
        ada = await hall.person("Ada")
        await give_up(ada)
        await next_day(hall)
        sheet = await daily(ada, join=True)
        assert (sheet.race, sheet.game, sheet.day) == ("daily-20270125", "amazons", "20270125")


async def test_an_outage_over_midnight_moves_the_end_of_no_day() -> None:
    world = at_day()
    async with days(world) as hall:
        ada, ben = await hall.person("Ada"), await hall.person("Ben")
        await win(ada)
        await begin(ben)
    world.clock.advance(19 * HOUR)
    async with days(world) as hall:
        sheet = await daily(await hall.person("Eve"), FIRST)
        assert (sheet.is_over, sheet.played) == (True, 2)


async def test_a_restart_changes_nothing() -> None:
    world = at_day()
    async with days(world) as hall:
        ada = await hall.person("Ada")
        await win(ada, after_ms=3000)
        before = await daily(ada)
    async with days(world) as hall:
        again = await hall.again(ada)
        assert await daily(again) == before
        ben = await hall.person("Ben")
        await give_up(ben)
        assert [line.name for line in (await daily(ben)).lines] == ["Ada", "Ben"]


async def test_what_is_kept_of_an_over_day_is_what_the_log_says() -> None:
    async with days() as hall:
        ada = await hall.person("Ada")
        await win(ada, after_ms=3000)
        await give_up(await hall.person("Ben"))
        live = await daily(ada)
        await next_day(hall)
        first, second = await daily(ada, FIRST), await daily(ada, FIRST)
        assert first == second
        assert first.lines == live.lines


async def test_the_replay_of_a_room_is_verified() -> None:
    async with days() as hall:
        await win(await hall.person("Ada"), after_ms=3000)
        await give_up(await hall.person("Ben"))
        await next_day(hall)
        file = await replay_file(ROOM, await hall.hall.records.replay(ROOM))
        report = verify(file)
        assert report.passed, report.text()
        assert report.seed == WIN_SEED


# --- streaks -----------------------------------------------------------------------------------


async def test_a_streak_grows_by_the_day_and_ends_with_a_day_missed() -> None:
    async with days() as hall:
        ada = await hall.person("Ada")
        assert (await daily(ada)).streak == 0
        counted = []
        for _ in range(4):
            await give_up(ada)
            counted.append((await daily(ada)).streak)
            await next_day(hall)
        assert counted == [1, 2, 3, 4]
        assert (await daily(ada)).streak == 4
        await next_day(hall)
        assert (await daily(ada)).streak == 0
        await give_up(ada)
        assert (await daily(ada)).streak == 1


async def test_a_streak_is_the_same_after_a_restart() -> None:
    world = at_day()
    async with days(world) as hall:
        ada = await hall.person("Ada")
        for _ in range(20):
            await give_up(ada)
            await next_day(hall)
    async with days(world) as hall:
        assert (await daily(await hall.again(ada))).streak == 20


# --- the league --------------------------------------------------------------------------------


async def league(person: Person, week: str | None = None) -> messages.LeagueTable:
    return await person.get(messages.LeagueTable, messages.League(id=person.next_id(), week=week))


async def test_a_week_of_the_league() -> None:
    """Three on Monday, all level with no card home and one move; then two of them; then one."""
    monday = Day.read("20270125")
    async with days(at_day(monday)) as hall:
        ada, ben, cid = [await hall.person(name) for name in ("Ada", "Ben", "Cid")]
        for there in ((ada, ben, cid), (ada, cid), (cid,)):
            for person in there:
                await move_and_give_up(person)
            await next_day(hall)
        table = await league(ada)
        assert (table.week, table.is_over, table.total) == ("2027-W04", False, 3)
        assert [(day.game, day.is_over, day.played) for day in table.days] == [
            ("amazons", True, 3),
            ("beleaguered-castle", True, 2),
            ("binary-star", True, 1),
            ("board-patience", False, 0),
            ("boomerang", False, 0),
            ("box-kite", False, 0),
            ("chessboard", False, 0),
        ]
        # (25 + 20 + 16) / 3, (25 + 20) / 2, 25
        assert [(line.place, line.name, line.points, line.days[:4]) for line in table.lines] == [
            (1, "Cid", 67.83, (20.33, 22.5, 25.0, None)),
            (2, "Ada", 42.83, (20.33, 22.5, None, None)),
            (3, "Ben", 20.33, (20.33, None, None, None)),
        ]
        assert table.own is not None
        assert (table.own.name, table.own.place) == ("Ada", 2)


async def move_and_give_up(person: Person) -> None:
    """Makes one move, that takes no card home if there is such a one, and gives up."""
    race = await begin(person)
    room = await person.lobby.hall.find(race)
    table = room.race.by_player[person.player].table
    assert table is not None
    legal = sorted(move_text(table.game, move) for move in table.legal())
    await person.play(race, 1, next((text for text in legal if "-F" not in text), legal[0]))
    await person.give_up(race)


async def test_today_is_not_in_the_league_not_even_for_who_has_played() -> None:
    async with days() as hall:
        ada = await hall.person("Ada")
        await win(ada)
        table = await league(ada)
        assert (table.lines, table.days[6].is_over, table.days[6].played) == ((), False, 0)
        await next_day(hall)
        assert (await league(ada)).week == "2027-W04"
        past = await league(ada, "2027-W03")
        assert [(line.name, line.points) for line in past.lines] == [("Ada", 25.0)]
        assert past.is_over is True


async def test_what_is_kept_of_days_does_not_grow_with_the_days_that_are_asked_for() -> None:
    async with days() as hall:
        dailies = hall.hall.dailies
        for number in range(STREAK_DAYS + 20):
            await dailies.public_sheet(str(Day(number)))
        assert len(dailies._kept) == KEPT_DAYS
        assert len(dailies._openers) == STREAK_DAYS


@pytest.mark.parametrize("week", ["0001-W01", "9999-W51"])
async def test_a_week_that_nobody_lives_in_has_an_empty_league(week: str) -> None:
    async with days() as hall:
        table = await league(await hall.person("Ada"), week)
        assert (table.week, table.lines, len(table.days)) == (week, (), 7)
