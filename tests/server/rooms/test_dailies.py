"""The daily deal on one node, on one day: rooms, boards, what is hidden, what is refused."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from samedeal_protocol import messages
from samedeal_protocol.boards import Board
from samedeal_protocol.daily import Attempt, DailySheet
from samedeal_protocol.terms import Mode, Sight, Visibility
from samedeal_rules import deal, find
from samedeal_server.daily.rooms import PLACES
from samedeal_server.ports import LogUnavailable
from samedeal_server.racing.race import Refused
from samedeal_server.rooms.dailies import HOST
from support.days import (
    FIRST,
    HOUR,
    ROOM,
    begin,
    both_at_once,
    daily,
    days,
    enter,
    give_up,
    next_day,
    opened,
    second_room,
    win,
)
from support.patience import PATIENCE_S
from support.races import WIN_SEED

SECRETS = (msgspec.msgpack.encode(54_321), b"54321", b"finished", b'"seed":"7"')
"""What would give away how Ada did in `test_no_way_leads_to_results`, or the deal."""


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
        sheet = await hall.hall.records.sheet(ROOM)
        told += repr(sheet).encode()
        told += repr(await hall.hall.dailies.public_sheet(None)).encode()
        told += repr(await hall.hall.dailies.public_league(None)).encode()
        with pytest.raises(Refused, match="when the race is over"):
            await hall.hall.records.replay(ROOM)
        assert [word for word in SECRETS if word in told] == []
        assert [topic for topic, _ in said if ROOM in topic and "owner" not in topic] == []
        # All of it would have been found, had it been told: Ada is told it, and the log has it.
        known = b"".join([*ada.frames, *await hall.world.log.read(ROOM)])
        assert [word for word in SECRETS if word not in known] == []


async def test_a_spectator_who_asks_is_told_nothing_until_the_day_is_over() -> None:
    async with days() as hall:
        ada, eve = await hall.person("Ada"), await hall.person("Eve")
        await win(ada)
        watch = messages.Watch(id=eve.next_id(), race=ROOM)
        assert await eve.refusal(watch) == "no-spectators"
        results = messages.Results(id=eve.next_id(), race=ROOM)
        assert (await eve.get(messages.ResultsSheet, results)).standings == ()
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
        async with asyncio.timeout(PATIENCE_S):
            await hall.hall.drain()
        hall.hall.is_draining = False
        await begin(ben)
        draining = asyncio.create_task(hall.hall.drain())
        await hall.settle()
        assert not draining.done()
        await ben.give_up(ROOM)
        async with asyncio.timeout(PATIENCE_S):
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
