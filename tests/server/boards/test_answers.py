"""Ratings and leaderboards of a hall in which real races are run."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable

import pytest
from msgspec.structs import replace

from samedeal_protocol import messages
from samedeal_protocol.boards import (
    BestTime,
    Board,
    PlayerSheet,
    PoolRating,
    RatingBoard,
    StreakBoard,
    TimeBoard,
)
from samedeal_protocol.events import EntrantState
from samedeal_protocol.terms import Mode, Visibility
from samedeal_server.boards.past import PastRace, PastRaces
from samedeal_server.ports import LogUnavailable, Ruling
from support.fakes import EPOCH
from support.halls import Lobby, Person, lobby
from support.nodes import Fakes, fakes
from support.races import WIN, WIN_GAME, WIN_SEED, WinningSeeds

DAY = 86_400_000
TODAY = EPOCH // DAY * DAY

GAIN = 79.056942
"""What the winner of two newcomers gains: c = √(2·250² + 2·125²), and 250²/c · ½ of it."""
SIGMA = 241.965189
"""And how sure one is then: learnt = (250/c)·(250²/c²)·¼; 250 · √(1 − learnt)."""


def world() -> Fakes:
    return dataclasses.replace(fakes(), seeds=WinningSeeds())


async def started(hall: Lobby, *people: Person, **terms: object) -> str:
    return await hall.started(*people, **{"game": WIN_GAME, "rated": True, "seed": None, **terms})


async def win(hall: Lobby, person: Person, race: str, *, each_ms: int = 1000) -> None:
    """Plays the deal to its end, in nine moves."""
    for number, move in enumerate(WIN, 1):
        hall.world.clock.advance(each_ms)
        await person.play(race, number, move)
    hall.world.clock.advance(each_ms)
    finish = messages.Finish(id=person.next_id(), race=race, number=len(WIN) + 1)
    await person.get(messages.Played, finish)


async def raced(hall: Lobby, winner: Person, *others: Person, **terms: object) -> str:
    """Runs a race that the first wins in nine seconds and the others give up; returns its code."""
    race = await started(hall, winner, *others, **terms)
    await win(hall, winner, race)
    for other in others:
        await other.give_up(race)
    return race


async def sheet(person: Person, name: str | None = None, game: str | None = None) -> PlayerSheet:
    asked = messages.Ratings(id=person.next_id(), name=name, game=game)
    return await person.get(PlayerSheet, asked)


async def strongest(person: Person, game: str | None = None, **more: object) -> RatingBoard:
    asked = replace(messages.Leaderboard(id=person.next_id(), game=game), **more)
    return await person.get(RatingBoard, asked)


async def fastest(person: Person, **more: object) -> TimeBoard:
    asked = replace(messages.Leaderboard(id=person.next_id(), board=Board.FASTEST), **more)
    return await person.get(TimeBoard, asked)


async def streaks(person: Person, **more: object) -> StreakBoard:
    asked = replace(messages.Leaderboard(id=person.next_id(), board=Board.STREAKS), **more)
    return await person.get(StreakBoard, asked)


async def points(person: Person) -> dict[str, int]:
    return {line.name: line.points for line in (await strongest(person)).lines}


# --- ratings -----------------------------------------------------------------------------------


async def test_a_rated_race_moves_both_ratings_in_its_game_and_in_all_games() -> None:
    async with lobby(world()) as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        race = await raced(hall, ann, ben)
        ended = EPOCH + 9000
        found = await sheet(ann)
        all_games = PoolRating(points=1579, mu=1500 + GAIN, sigma=SIGMA, races=1, last_at=ended)
        assert found.ratings == (all_games, replace(all_games, game=WIN_GAME))
        for board in (await strongest(ann), await strongest(ann, WIN_GAME)):
            assert board.total == 2
            assert [(line.name, line.points, line.place) for line in board.lines] == [
                ("Ann", 1579, None),
                ("Ben", 1421, None),
            ]
        (change,) = (await sheet(ben, "Ann", WIN_GAME)).changes
        assert (change.race, change.at, change.place) == (race, ended, 1)
        assert (change.before, change.after, change.gain) == (1500, 1500 + GAIN, GAIN)
        (rival,) = change.rivals
        assert (rival.name, rival.actual, rival.expected) == ("Ben", 1.0, 0.5)
        assert rival.points == pytest.approx(GAIN, abs=1e-6)


async def test_a_casual_race_moves_no_rating_but_has_times() -> None:
    async with lobby(world()) as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        await raced(hall, ann, ben, rated=False)
        assert (await strongest(ann)).lines == ()
        assert (await sheet(ann)).ratings == ()
        assert [line.name for line in (await fastest(ann, game=WIN_GAME)).lines] == ["Ann"]


async def test_people_and_bots_stand_on_boards_of_their_own() -> None:
    async with lobby(world()) as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        hal, sal = await hall.person("Hal", bot=True), await hall.person("Sal", bot=True)
        await raced(hall, hal, ann)  # both kinds: not rated, though the times count
        await raced(hall, ann, ben)
        await raced(hall, sal, hal)
        assert await points(ann) == {"Ann": 1579, "Ben": 1421}
        bots = await strongest(ann, bots=True)
        assert {line.name: line.points for line in bots.lines} == {"Sal": 1579, "Hal": 1421}
        assert [line.name for line in (await fastest(ann, game=WIN_GAME)).lines] == ["Ann"]
        best = await fastest(ann, game=WIN_GAME, bots=True)
        assert {line.name for line in best.lines} == {"Hal", "Sal"}
        assert {line.name for line in (await streaks(ann, bots=True)).lines} == {"Hal", "Sal"}
        assert (await sheet(ann, "hal")).bot


async def test_a_race_of_one_is_not_rated() -> None:
    async with lobby(world()) as hall:
        ann = await hall.person("Ann")
        await raced(hall, ann)
        assert (await sheet(ann)).ratings == ()


async def test_nothing_is_told_of_a_race_before_it_is_over() -> None:
    async with lobby(world()) as hall:
        ann, ben, eve = [await hall.person(name) for name in ("Ann", "Ben", "Eve")]
        race = await started(hall, ann, ben, blind=True)
        await win(hall, ann, race)
        assert (await sheet(eve, "Ann")).bests == ()
        assert (await fastest(eve, game=WIN_GAME)).lines == ()
        assert (await streaks(eve)).lines == ()
        deal = messages.Leaderboard(id=eve.next_id(), board=Board.FASTEST, deal=race)
        assert await eve.refusal(deal) == "not-over"
        await ben.give_up(race)
        assert [line.name for line in (await fastest(eve, game=WIN_GAME)).lines] == ["Ann"]


# --- the same numbers --------------------------------------------------------------------------


async def some_races(hall: Lobby) -> list[Person]:
    people = [await hall.person(name) for name in ("Ann", "Ben", "Cat")]
    ann, ben, cat = people
    await raced(hall, ann, ben, cat)
    await raced(hall, cat, ben)
    await raced(hall, cat, ann, rated=False)
    await raced(hall, ben, cat, ann)
    return people


async def everything(person: Person) -> tuple[object, ...]:
    sheets = [await sheet(person, name) for name in ("Ann", "Ben", "Cat")]
    return (
        *(await strongest(person)).lines,
        *(await fastest(person, game=WIN_GAME)).lines,
        *(await streaks(person)).lines,
        *((each.ratings, each.bests, each.changes) for each in sheets),
    )


async def test_a_restart_changes_no_number() -> None:
    the_world = world()
    async with lobby(the_world) as hall:
        ann, *_ = await some_races(hall)
        before = await everything(ann)
    async with lobby(the_world) as hall:
        assert await everything(await hall.person("Eve")) == before
    # Nor does it if every race must be checked anew from its log.
    assert await the_world.log.ended(limit=1) != []
    await the_world.log.summarize({each.race: b"" for each in await the_world.log.ended(limit=9)})
    async with lobby(the_world) as hall:
        assert await everything(await hall.person("Fay")) == before


async def test_what_was_checked_once_is_not_read_again() -> None:
    the_world = world()
    async with lobby(the_world) as hall:
        ann, *_ = await some_races(hall)
        before = await everything(ann)
    async with lobby(the_world) as hall:
        eve = await hall.person("Eve")
        the_world.log.is_unreadable = True
        assert await everything(eve) == before


async def test_a_race_that_was_touched_counts_nowhere() -> None:
    the_world = world()
    async with lobby(the_world) as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        race = await raced(hall, ann, ben)
        lines = the_world.log._races[race].lines
        lines[-1] = lines[-1].replace(b'"elapsed_ms":9000', b'"elapsed_ms":8000')
        assert (await sheet(ann)).ratings == ()
        assert (await fastest(ann, game=WIN_GAME)).lines == ()


# --- annulment ---------------------------------------------------------------------------------


def ruling(race: str, *, is_annulled: bool = True) -> Ruling:
    return Ruling(at=EPOCH, race=race, is_annulled=is_annulled, reason="x", differences=b"[]")


async def test_an_annulled_race_has_never_happened() -> None:
    one, other = world(), world()
    async with lobby(one) as hall:
        ann, ben, cat = [await hall.person(name) for name in ("Ann", "Ben", "Cat")]
        await raced(hall, ann, ben)
        void = await raced(hall, cat, ann, ben)
        await raced(hall, ben, cat)
        before = await everything(ann)
        await one.log.rule(ruling(void))
        without = await everything(ann)
        await one.log.rule(ruling(void, is_annulled=False))
        assert await everything(ann) == before
        await one.log.rule(ruling(void))
        assert await everything(ann) == without
        deal = messages.Leaderboard(id=ann.next_id(), board=Board.FASTEST, deal=void)
        assert await ann.refusal(deal) == "not-over"
    async with lobby(one) as hall:
        assert await everything(await hall.person("Eve")) == without
    async with lobby(other) as hall:
        ann, ben, cat = [await hall.person(name) for name in ("Ann", "Ben", "Cat")]
        await raced(hall, ann, ben)
        # In its place one that counts nowhere, so that codes and instants are the same.
        never = await started(hall, cat, ann, ben)
        other.clock.advance(9000)
        for person in (cat, ann, ben):
            await person.give_up(never)
        await raced(hall, ben, cat)
        await other.log.rule(ruling(never))
        assert await everything(ann) == without


async def test_what_was_ruled_is_published_the_newest_first() -> None:
    the_world = world()
    async with lobby(the_world) as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        race = await raced(hall, ann, ben)
        hidden = await raced(hall, ann, ben, visibility=Visibility.UNLISTED)
        for code in (race, hidden):
            await the_world.log.rule(ruling(code))
        told = await hall.hall.boards.annulments()
        assert [(each.race, each.annulled, each.reason) for each in told] == [
            (None, True, "x"),
            (race, True, "x"),
        ]


# --- times and days ----------------------------------------------------------------------------


async def test_times_are_of_finishers_and_each_players_best() -> None:
    async with lobby(world()) as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        await raced(hall, ann, ben)
        race = await started(hall, ann, ben)
        await win(hall, ben, race, each_ms=500)
        await ann.give_up(race)
        board = await fastest(ann, game=WIN_GAME)
        assert [(line.place, line.name, line.elapsed_ms) for line in board.lines] == [
            (1, "Ben", 4500),
            (2, "Ann", 9000),
        ]
        assert board.lines[0].race == race
        assert (await sheet(ben)).bests == (
            BestTime(game=WIN_GAME, elapsed_ms=4500, at=EPOCH + 13_500, race=race, attempt=2),
        )


async def test_a_deal_has_a_board_that_says_whose_how_manieth_look_it_was() -> None:
    async with lobby() as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        # ann knows the deal when she races on it again; it is no rated race then.
        first = await raced(hall, ann, rated=False, seed=WIN_SEED)
        again = await started(hall, ann, ben, rated=False, seed=WIN_SEED)
        await win(hall, ben, again, each_ms=700)
        await win(hall, ann, again, each_ms=100)
        board = await fastest(ben, deal=first)
        assert (board.game, board.deal) == (WIN_GAME, first)
        assert [(line.name, line.elapsed_ms, line.attempt) for line in board.lines] == [
            ("Ben", 6300, 1),
            ("Ann", 7200, 2),
        ]
        assert (await fastest(ben, deal=first, game=WIN_GAME)).lines == board.lines


async def behind_a_phrase(hall: Lobby, winner: Person, other: Person) -> str:
    """Runs a race behind a pass phrase, as `raced` does."""
    terms = {"game": WIN_GAME, "rated": True, "seed": None, "visibility": Visibility.PHRASE}
    race = await hall.race(winner, phrase="open sesame", **terms)
    for person in (winner, other):
        await person.join(race, "open sesame")
    for person in (winner, other):
        await person.ready(race)
    await hall.pass_time(0)
    await win(hall, winner, race)
    await other.give_up(race)
    return race


async def unlisted(hall: Lobby, winner: Person, other: Person) -> str:
    """Runs a race that is not listed, as `raced` does."""
    return await raced(hall, winner, other, visibility=Visibility.UNLISTED)


@pytest.mark.parametrize("hidden", [unlisted, behind_a_phrase])
async def test_the_code_of_a_race_that_is_not_public_is_told_to_nobody(
    hidden: Callable[[Lobby, Person, Person], Awaitable[str]],
) -> None:
    async with lobby(world()) as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        await hidden(hall, ann, ben)
        found = await sheet(ben, "Ann")
        assert [line.race for line in (await fastest(ben, game=WIN_GAME)).lines] == [None]
        assert [each.race for each in found.changes] == [None, None]
        assert [each.race for each in found.bests] == [None]


async def test_streaks_count_days_in_a_row() -> None:
    the_world = world()
    the_world.clock.advance(TODAY + DAY - EPOCH)
    async with lobby(the_world) as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        for _ in range(2):
            await raced(hall, ann, rated=False)
            await hall.pass_time(DAY)
        await raced(hall, ben, rated=False)
        board = await streaks(ann)
        assert [(line.place, line.name, line.current, line.longest) for line in board.lines] == [
            (1, "Ann", 2, 2),  # today is still open
            (2, "Ben", 1, 1),
        ]
        assert board.lines[0].last_at == TODAY + 2 * DAY
        await hall.pass_time(DAY)
        board = await streaks(ann)
        assert [(line.name, line.current, line.longest) for line in board.lines] == [
            ("Ben", 1, 1),
            ("Ann", 0, 2),
        ]
        assert (await sheet(ann)).streak == board.lines[1]


async def test_an_async_race_counts_when_it_has_closed() -> None:
    async with lobby(world()) as hall:
        ann = await hall.person("Ann")
        race = await hall.race(ann, game=WIN_GAME, mode=Mode.ASYNC, closes=3600, entrants_min=1)
        await ann.join(race)
        await ann.get(messages.Snapshot, messages.Begin(id=ann.next_id(), race=race))
        assert (await fastest(ann, game=WIN_GAME)).lines == ()


# --- a player's races --------------------------------------------------------------------------


async def past(hall: Lobby, name: str, *, offset: int = 0, limit: int = 20) -> PastRaces:
    return await hall.hall.boards.past(name, offset=offset, limit=limit)


async def test_a_players_races_are_told_the_newest_first_in_pages() -> None:
    async with lobby(world()) as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        first = await raced(hall, ann, ben)
        await raced(hall, ben)
        last = await raced(hall, ben, ann, rated=False)
        found = await past(hall, "ann")
        assert (found.name, found.total) == ("Ann", 2)
        assert found.races == (
            PastRace(
                race=last,
                at=EPOCH + 27_000,
                game=WIN_GAME,
                place=2,
                of=2,
                state=EntrantState.GAVE_UP,
            ),
            PastRace(
                race=first,
                at=EPOCH + 9000,
                game=WIN_GAME,
                place=1,
                of=2,
                state=EntrantState.FINISHED,
                elapsed_ms=9000,
                rated=True,
            ),
        )
        page = await past(hall, "Ann", offset=1, limit=1)
        assert (page.total, page.offset, page.races) == (2, 1, found.races[1:])
        assert (await past(hall, "Ann", offset=2)).races == ()
        assert [each.of for each in (await past(hall, "Ben")).races] == [2, 1, 2]


async def test_nothing_is_told_of_a_players_race_that_is_not_over_not_public_or_annulled() -> None:
    the_world = world()
    async with lobby(the_world) as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        await unlisted(hall, ann, ben)
        await behind_a_phrase(hall, ann, ben)
        void = await raced(hall, ann, ben)
        assert [each.race for each in (await past(hall, "Ann")).races] == [void]
        await the_world.log.rule(ruling(void))
        blind = await started(hall, ann, ben, blind=True)
        await win(hall, ann, blind)
        assert await past(hall, "Ann") == PastRaces(name="Ann", total=0, races=())
        await ben.give_up(blind)
        assert [each.race for each in (await past(hall, "Ann")).races] == [blind]


# --- pages -------------------------------------------------------------------------------------


async def test_a_board_is_told_in_pages_with_the_names_of_today() -> None:
    async with lobby(world()) as hall:
        people = [await hall.person(f"P{number}") for number in range(5)]
        for person in people:
            await raced(hall, person, rated=False)
        page = await fastest(people[0], game=WIN_GAME, offset=1, limit=2)
        assert (page.total, page.offset) == (5, 1)
        # All took nine seconds: they share the place, in the order of their finishes.
        assert [(line.place, line.name) for line in page.lines] == [(1, "P1"), (1, "P2")]
        assert people[1].welcome is not None
        await hall.world.log.rename(people[1].player, "Zoë")
        page = await fastest(people[0], game=WIN_GAME, offset=1, limit=1)
        assert [line.name for line in page.lines] == ["Zoë"]
        assert (await fastest(people[0], game=WIN_GAME, offset=5)).lines == ()


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"board": Board.FASTEST}, "bad-board"),
        ({"board": Board.FASTEST, "game": "klondyke"}, "no-such-game"),
        ({"board": Board.RATING, "game": "klondyke"}, "no-such-game"),
        ({"board": Board.RATING, "deal": "race-1"}, "bad-board"),
        ({"board": Board.STREAKS, "game": WIN_GAME}, "bad-board"),
        ({"board": Board.FASTEST, "deal": "race-9"}, "no-such-race"),
        ({"board": Board.FASTEST, "deal": "race-1", "game": "opus"}, "bad-board"),
    ],
)
async def test_what_is_no_board_is_refused(asked: dict[str, object], code: str) -> None:
    async with lobby(world()) as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        await raced(hall, ann, ben)
        request = replace(messages.Leaderboard(id=ann.next_id()), **asked)
        assert await ann.refusal(request) == code


async def test_nobody_is_found_by_a_name_that_nobody_has() -> None:
    async with lobby() as hall:
        ann = await hall.person("Ann")
        asked = messages.Ratings(id=ann.next_id(), name="Bob")
        assert await ann.refusal(asked) == "no-such-player"
        asked = messages.Ratings(id=ann.next_id(), game="klondyke")
        assert await ann.refusal(asked) == "no-such-game"


async def test_who_has_done_nothing_has_an_empty_sheet() -> None:
    async with lobby() as hall:
        ann = await hall.person("Ann")
        found = await sheet(ann)
        assert (found.name, found.ratings, found.bests, found.changes) == ("Ann", (), (), ())
        assert found.streak is None


# --- a store that is slow or away --------------------------------------------------------------


async def test_who_asks_while_races_are_counted_is_told_to_come_back() -> None:
    the_world = world()
    async with lobby(the_world) as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        await raced(hall, ann, ben)
    async with lobby(the_world) as hall:
        eve = await hall.person("Eve")
        the_world.log.may_read.clear()
        asked = messages.Leaderboard(id=eve.next_id())
        assert await eve.refusal(asked) == "being-counted"
        the_world.log.may_read.set()
        assert await points(eve) == {"Ann": 1579, "Ben": 1421}


async def test_a_store_that_is_away_is_asked_again_by_who_asks_again() -> None:
    the_world = world()
    async with lobby(the_world) as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        await raced(hall, ann, ben)
        the_world.log.is_unreadable = True
        asked = messages.Leaderboard(id=ann.next_id())
        assert await ann.refusal(asked) == "store-unavailable"
        the_world.log.is_unreadable = False
        the_world.log.fail_next(LogUnavailable("the disk is full"))
        asked = messages.Leaderboard(id=ann.next_id())
        assert await ann.refusal(asked) == "store-unavailable"
        assert await points(ann) == {"Ann": 1579, "Ben": 1421}
