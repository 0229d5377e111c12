"""The daily deal and the league, on one node over several days, and on two."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest

from samedeal_client.verify import verify
from samedeal_protocol import messages
from samedeal_protocol.boards import Board
from samedeal_protocol.daily import Attempt, DailySheet
from samedeal_protocol.events import Opened, parse_line
from samedeal_protocol.terms import Mode, Sight, Visibility
from samedeal_rules import deal, find, move_text
from samedeal_rules.shuffle import commitment
from samedeal_server.daily.days import Day
from samedeal_server.daily.rooms import PLACES, Room
from samedeal_server.gateway.pages import replay_lines
from samedeal_server.ports import LogUnavailable
from samedeal_server.racing.race import Refused
from samedeal_server.rooms.dailies import HOST, KEPT_DAYS, STREAK_DAYS
from support.cluster import Cluster, cluster
from support.days import FIRST, HOUR, at_day, begin, daily, days, enter, next_day, win
from support.halls import Lobby, Person
from support.races import WIN_SEED

ROOM = "daily-20270124"
SECRETS = (msgspec.msgpack.encode(54_321), b"54321", b"finished", b'"seed":"7"')
"""What would give away how Ada did in `test_no_way_leads_to_results`, or the deal."""


async def opened(hall: Lobby, code: str = ROOM) -> Opened:
    event = parse_line((await hall.world.log.read(code))[0])
    assert isinstance(event, Opened)
    return event


async def give_up(person: Person) -> str:
    """Opens today's deal and gives up; returns the room."""
    race = await begin(person)
    await person.give_up(race)
    return race


# --- a day -------------------------------------------------------------------------------------


async def test_a_day_is_told_before_anybody_plays() -> None:
    async with days() as hall:
        sheet = await daily(await hall.person("Ada"))
        assert sheet == DailySheet(
            day="20270124",
            week="2027-W03",
            game="abandon-hope",
            closes_in_ms=16 * HOUR,
            is_hidden=True,
        )


async def test_the_first_who_asks_to_play_has_the_deal_drawn() -> None:
    async with days() as hall:
        ada = await hall.person("Ada")
        await daily(ada)
        assert await hall.world.log.race(ROOM) is None
        sheet = await daily(ada, join=True)
        first = await opened(hall)
        assert (sheet.race, sheet.commitment) == (ROOM, first.commitment)
        assert (sheet.attempt, sheet.seed) == (Attempt.NONE, None)


async def test_a_room_is_an_async_blind_race_of_one_day_that_nobody_finds_or_watches() -> None:
    async with days() as hall:
        await daily(await hall.person("Ada"), join=True)
        first = await opened(hall)
        terms = first.terms
        assert (terms.mode, terms.blind, terms.rated) == (Mode.ASYNC, True, False)
        assert (terms.visibility, terms.spectators) == (Visibility.UNLISTED, Sight.NONE)
        assert first.at + terms.closes * 1000 == FIRST.closes_at
        assert (first.host, first.seeded) == (HOST.player, False)


async def test_everybody_has_the_same_deal() -> None:
    async with days() as hall:
        boards = []
        for name in ("Ada", "Ben", "Cid"):
            person = await hall.person(name)
            race = await enter(person)
            begin = messages.Begin(id=person.next_id(), race=race)
            snapshot = await person.get(messages.Snapshot, begin)
            boards += [view.board for view in snapshot.entrants if view.entrant == snapshot.you]
        assert boards == [deal(find("abandon-hope"), WIN_SEED).view().text()] * 3


async def test_the_board_ranks_finishers_by_time_and_then_the_others_by_cards_home() -> None:
    async with days() as hall:
        people = {name: await hall.person(name) for name in ("Ada", "Ben", "Cid", "Dot")}
        await win(people["Ben"], after_ms=9000)
        await give_up(people["Cid"])
        await win(people["Ada"], after_ms=5000)
        await win(people["Dot"], after_ms=9000)
        sheet = await daily(people["Cid"])
        assert [(line.place, line.name, line.elapsed_ms) for line in sheet.lines] == [
            (1, "Ada", 5000),
            (2, "Ben", 9000),
            (2, "Dot", 9000),
            (4, "Cid", None),
        ]
        assert (sheet.played, sheet.is_hidden) == (4, False)
        assert sheet.own is not None
        assert (sheet.own.place, sheet.own.state) == (4, "gave-up")


async def test_how_far_one_is() -> None:
    async with days() as hall:
        ada = await hall.person("Ada")
        await enter(ada)
        assert (await daily(ada)).attempt is Attempt.ENTERED
        race = await begin(ada)
        assert (await daily(ada)).attempt is Attempt.PLAYING
        await ada.give_up(race)
        sheet = await daily(ada)
        assert (sheet.attempt, sheet.race) == (Attempt.PLAYED, race)


async def test_pages_of_a_board() -> None:
    async with days() as hall:
        people = [await hall.person(name) for name in ("Ada", "Ben", "Cid")]
        for person in people:
            await win(person, after_ms=1000)
        asked = messages.Daily(id=people[0].next_id(), offset=1, limit=1)
        sheet = await people[0].get(messages.DailySheet, asked)
        assert ([line.name for line in sheet.lines], sheet.offset) == (["Ben"], 1)
        assert sheet.played == 3


# --- hidden until played -----------------------------------------------------------------------


async def test_who_has_not_played_is_told_how_many_have_and_nothing_else() -> None:
    async with days() as hall:
        ada, ben = await hall.person("Ada"), await hall.person("Ben")
        await win(ada, after_ms=5432)
        for _ in range(2):
            sheet = await daily(ben)
            assert (sheet.played, sheet.is_hidden) == (1, True)
            assert (sheet.lines, sheet.own, sheet.seed, sheet.salt) == ((), None, None, None)
            await begin(ben)


async def test_no_way_leads_to_results_for_who_has_not_played() -> None:
    """Every request that could tell is made, by one who is playing and by one who is outside."""
    async with days(bus="mqtt://nowhere") as hall:
        said: list[tuple[str, bytes]] = []
        hall.world.bus.subscribe("#", lambda topic, payload: said.append((topic, payload)))
        ada, ben, eve = [await hall.person(name) for name in ("Ada", "Ben", "Eve")]
        await begin(ben)
        await hall.pass_time(777)
        await win(ada, after_ms=54_321)
        for person in (ben, eve):
            for ask in (
                messages.Results(id=person.next_id(), race=ROOM),
                messages.Watch(id=person.next_id(), race=ROOM),
                messages.Resume(id=person.next_id(), race=ROOM),
                messages.Replay(id=person.next_id(), race=ROOM),
                messages.Mine(id=person.next_id()),
                messages.List(id=person.next_id()),
                messages.Daily(id=person.next_id()),
                messages.Daily(id=person.next_id(), join=True),
                messages.League(id=person.next_id()),
                messages.Leaderboard(id=person.next_id(), board=Board.FASTEST, deal=ROOM),
                messages.Leaderboard(id=person.next_id(), board=Board.FASTEST, game="abandon-hope"),
                messages.Leaderboard(id=person.next_id(), board=Board.STREAKS),
                messages.Ratings(id=person.next_id(), name="Ada"),
            ):
                errand = person.say_now(ask)
                if errand is not None:
                    await errand
            await hall.pass_time(1000)
        hall.hall.world.flush()
        await hall.settle()
        told = b"".join([*ben.frames, *eve.frames, *(payload for _, payload in said)])
        sheet = await hall.hall.sheet(ROOM)
        told += repr(sheet).encode()
        told += repr(await hall.hall.dailies.public_sheet(None)).encode()
        told += repr(await hall.hall.dailies.public_league(None)).encode()
        with pytest.raises(Refused, match="when the race is over"):
            await hall.hall.replay(ROOM)
        assert [word for word in SECRETS if word in told] == []
        assert [topic for topic, _ in said if ROOM in topic and "owner" not in topic] == []
        # All of it would have been found, had it been told: Ada is told it, and the log has it.
        known = b"".join([*ada.frames, *await hall.world.log.read(ROOM)])
        assert [word for word in SECRETS if word not in known] == []


async def test_a_spectator_who_asks_is_refused_until_the_day_is_over() -> None:
    async with days() as hall:
        ada, eve = await hall.person("Ada"), await hall.person("Eve")
        await win(ada)
        for ask in (messages.Watch, messages.Results):
            assert await eve.refusal(ask(id=eve.next_id(), race=ROOM)) == "no-spectators"
        await next_day(hall)
        assert (await eve.watch(ROOM)).seed == WIN_SEED


async def test_a_room_whose_entrants_are_all_done_gives_nothing_away_before_the_day_ends() -> None:
    async with days() as hall:
        for number in range(PLACES):
            await give_up(await hall.person(f"Ada{number}"))
        race = (await hall.hall.find(ROOM)).race
        assert (len(race.entered()), race.racing, race.is_final) == (PLACES, 0, False)
        late = await hall.person("Late")
        assert await begin(late) == f"{ROOM}-2"
        rooms = [await opened(hall), await opened(hall, f"{ROOM}-2")]
        assert rooms[0].commitment == rooms[1].commitment
        assert rooms[0].seed == rooms[1].seed
        assert (await daily(late)).played == PLACES
        await late.give_up(f"{ROOM}-2")
        sheet = await daily(late)
        assert (sheet.played, {line.place for line in sheet.lines}) == (PLACES + 1, {1})
        await next_day(hall)
        assert (await daily(late, FIRST)).played == PLACES + 1


# --- one attempt -------------------------------------------------------------------------------


async def second_room(hall: Lobby, day: Day = FIRST) -> str:
    """Opens another room of a day beside the first, as if that were full."""
    room = Room(day, 2)
    await hall.hall.dailies.open(room)
    return room.code


async def test_who_is_in_one_room_enters_no_other() -> None:
    async with days() as hall:
        ada = await hall.person("Ada")
        await give_up(ada)
        other = await second_room(hall)
        join = messages.Join(id=ada.next_id(), race=other)
        assert await ada.refusal(join) == "already-entered"
        assert (await daily(ada, join=True)).race == ROOM


async def test_who_leaves_before_opening_the_deal_may_come_again() -> None:
    async with days() as hall:
        ada = await hall.person("Ada")
        await enter(ada)
        await ada.ask(messages.Leave(id=ada.next_id(), race=ROOM))
        assert (await daily(ada)).attempt is Attempt.NONE
        other = await second_room(hall)
        await ada.join(other)
        assert (await daily(ada)).race == other


async def test_who_is_done_begins_no_second_time() -> None:
    async with days() as hall:
        ada = await hall.person("Ada")
        await give_up(ada)
        sheet = await daily(ada, join=True)
        assert (sheet.attempt, sheet.race) == (Attempt.PLAYED, ROOM)
        again = await hall.again(ada)
        await again.join(ROOM)
        await again.ask(messages.Begin(id=again.next_id(), race=ROOM))
        assert await again.refusal(again.a_play(ROOM, 1, "W-T1")) == "not-racing"


async def both_at_once(one: Person, other: Person, rooms: tuple[str, str]) -> None:
    """Two connections of a player enter two rooms, neither knowing of the other."""
    errands = [
        person.say_now(messages.Join(id=person.next_id(), race=race))
        for person, race in zip((one, other), rooms, strict=True)
    ]
    await asyncio.gather(*(errand for errand in errands if errand is not None))
    await one.lobby.settle()


async def test_who_gets_into_two_rooms_at_once_opens_the_deal_in_the_first_only() -> None:
    async with days() as hall:
        ada = await hall.person("Ada")
        again = await hall.again(ada)
        await daily(ada, join=True)
        other = await second_room(hall)
        await both_at_once(ada, again, (ROOM, other))
        assert [
            ada.player in (await hall.hall.find(race)).race.by_player for race in (ROOM, other)
        ] == [True, True]
        begin_there = messages.Begin(id=again.next_id(), race=other)
        assert await again.refusal(begin_there) == "already-entered"
        assert await begin(ada) == ROOM
        await ada.give_up(ROOM)
        await next_day(hall)
        assert [line.race for line in (await daily(ada, FIRST)).lines] == [ROOM]


# --- bots --------------------------------------------------------------------------------------


async def test_bots_play_the_same_deal_on_a_board_of_their_own() -> None:
    async with days() as hall:
        ada, robot = await hall.person("Ada"), await hall.person("Robot", bot=True)
        assert await win(robot, after_ms=1) == f"{ROOM}-bots"
        assert await win(ada, after_ms=2) == ROOM
        assert (await opened(hall)).commitment == (await opened(hall, f"{ROOM}-bots")).commitment
        for bots, name in ((False, "Ada"), (True, "Robot")):
            sheet = await daily(ada, bots=bots)
            assert ([line.name for line in sheet.lines], sheet.played) == ([name], 1)
            assert sheet.own is not None
            assert sheet.own.name == "Ada"


async def test_people_and_bots_do_not_get_into_each_others_rooms() -> None:
    async with days() as hall:
        ada, robot = await hall.person("Ada"), await hall.person("Robot", bot=True)
        await daily(ada, join=True)
        await daily(robot, join=True)
        there = messages.Join(id=ada.next_id(), race=f"{ROOM}-bots")
        assert await ada.refusal(there) == "not-invited"
        assert await robot.refusal(messages.Join(id=robot.next_id(), race=ROOM)) == "no-bots"


# --- the end of a day --------------------------------------------------------------------------


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
        file = b"\n".join(replay_lines(ROOM, await hall.hall.replay(ROOM))) + b"\n"
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


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("day", "join", "code"),
    [
        ("20270230", False, "malformed"),
        ("20270125", False, "not-open"),
        ("20270125", True, "not-open"),
        ("20270123", True, "not-open"),
    ],
)
async def test_a_day_that_is_none_or_not_today_is_refused(day: str, join: bool, code: str) -> None:
    async with days() as hall:
        ada = await hall.person("Ada")
        assert await ada.refusal(messages.Daily(id=ada.next_id(), day=day, join=join)) == code
        assert await hall.world.log.race(f"daily-{day}") is None


async def test_a_week_that_is_none_is_refused() -> None:
    async with days() as hall:
        ada = await hall.person("Ada")
        assert await ada.refusal(messages.League(id=ada.next_id(), week="2027-W54")) == "malformed"


async def test_a_server_that_is_about_to_restart_opens_no_room() -> None:
    async with days() as hall:
        ada = await hall.person("Ada")
        hall.hall.is_draining = True
        assert await ada.refusal(messages.Daily(id=ada.next_id(), join=True)) == "draining"
        assert (await daily(ada)).attempt is Attempt.NONE


async def test_a_restart_waits_for_who_plays_and_not_for_the_day_to_end() -> None:
    async with days() as hall:
        ada, ben = await hall.person("Ada"), await hall.person("Ben")
        await give_up(ada)
        await enter(ben)
        async with asyncio.timeout(1):
            await hall.hall.drain()
        hall.hall.is_draining = False
        await begin(ben)
        draining = asyncio.create_task(hall.hall.drain())
        await hall.settle()
        assert not draining.done()
        await ben.give_up(ROOM)
        async with asyncio.timeout(1):
            await draining


@pytest.mark.parametrize("stored", [False, True])
async def test_a_store_that_fails_while_a_room_is_opened_leaves_one_deal(stored: bool) -> None:
    async with days() as hall:
        ada = await hall.person("Ada")
        hall.world.log.fail_next(LogUnavailable("gone"), stored=stored)
        asked = messages.Daily(id=ada.next_id(), join=True)
        assert await ada.refusal(asked) == "store-unavailable"
        assert await give_up(ada) == ROOM
        assert (await daily(ada)).commitment == (await opened(hall)).commitment


# --- several nodes -----------------------------------------------------------------------------


@asynccontextmanager
async def two_nodes() -> AsyncIterator[tuple[Cluster, Lobby, Lobby]]:
    """Two nodes on the morning of the first day."""
    async with cluster("a", "b") as whole:
        whole.clock.advance(FIRST.opens_at + 8 * HOUR - whole.clock.now())
        yield whole, whole.nodes["a"], whole.nodes["b"]


async def test_two_nodes_that_open_a_day_at_once_have_one_deal() -> None:
    async with two_nodes() as (whole, here, there):
        ada, ben = await here.person("Ada"), await there.person("Ben")
        sheets = await asyncio.gather(daily(ada, join=True), daily(ben, join=True))
        assert sheets[0].race == sheets[1].race == ROOM
        assert sheets[0].commitment == sheets[1].commitment
        first = parse_line((await whole.log.read(ROOM))[0])
        assert isinstance(first, Opened)
        assert first.commitment == sheets[0].commitment


async def test_the_board_is_one_on_all_nodes() -> None:
    async with two_nodes() as (whole, here, there):
        ada, ben = await here.person("Ada"), await there.person("Ben")
        await give_up(ada)
        hidden = await daily(ben)
        assert (hidden.played, hidden.lines) == (1, ())
        await give_up(ben)
        await whole.settle()
        one, other = await daily(ada), await daily(ben)
        assert one.lines == other.lines
        assert {line.name for line in one.lines} == {"Ada", "Ben"}


async def test_the_board_does_not_rest_on_the_bus() -> None:
    async with two_nodes() as (_, here, there):
        ada, ben = await here.person("Ada"), await there.person("Ben")
        await daily(ada, join=True)
        await give_up(ben)
        there.world.bus.is_cut = True  # type: ignore[attr-defined]
        await give_up(ada)
        assert {line.name for line in (await daily(ben)).lines} == {"Ada", "Ben"}


async def test_whoever_has_played_on_one_node_does_not_play_on_another() -> None:
    async with two_nodes() as (_, here, there):
        ada = await here.person("Ada")
        await give_up(ada)
        elsewhere = await Person(there).hello(token=ada.welcome.token if ada.welcome else None)
        sheet = await daily(elsewhere, join=True)
        assert (sheet.attempt, sheet.race) == (Attempt.PLAYED, ROOM)
        other = await second_room(there)
        join = messages.Join(id=elsewhere.next_id(), race=other)
        assert await elsewhere.refusal(join) == "already-entered"


async def test_whoever_gets_into_two_rooms_over_two_nodes_opens_the_deal_once() -> None:
    async with two_nodes() as (whole, here, there):
        ada = await here.person("Ada")
        elsewhere = await Person(there).hello(token=ada.welcome.token if ada.welcome else None)
        await daily(ada, join=True)
        other = await second_room(there)
        await both_at_once(ada, elsewhere, (ROOM, other))
        await whole.settle()
        begin_there = messages.Begin(id=elsewhere.next_id(), race=other)
        assert await elsewhere.refusal(begin_there) == "already-entered"
        assert await begin(ada) == ROOM


async def test_a_day_goes_on_when_the_node_that_opened_it_is_gone() -> None:
    async with two_nodes() as (whole, here, there):
        ada, ben = await here.person("Ada"), await there.person("Ben")
        await give_up(ada)
        before = (await daily(ben)).commitment
        here.world.leases.dies()  # type: ignore[attr-defined]
        del whole.nodes["a"]
        await there.hall.federation.tenure.renew()
        await whole.settle()
        assert await give_up(ben) == ROOM
        sheet = await daily(ben)
        assert (sheet.commitment, sheet.played) == (before, 2)
