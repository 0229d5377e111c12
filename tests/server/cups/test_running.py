"""What may happen in a tournament that runs: people who do not come, and staff who step in."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from samedeal_protocol import messages
from samedeal_protocol.events import Readied, parse_line
from samedeal_protocol.terms import Mode, Start, Terms, Visibility
from samedeal_protocol.tournament import requests
from samedeal_protocol.tournament.events import Ending
from samedeal_protocol.tournament.formats import (
    Format,
    Heats,
    Length,
    RoundRobin,
    SingleElimination,
    Swiss,
)
from samedeal_protocol.tournament.schedule import Every, Schedule
from samedeal_protocol.tournament.terms import Choice, Registration, Seeding
from samedeal_server.hosting.state import Match, Phase, RaceState
from samedeal_server.racing.race import Phase as RacePhase
from samedeal_server.ratings.book import Pool
from samedeal_server.ratings.model import Rating
from support.fakes import EPOCH
from support.halls import Lobby, Person, lobby
from support.nodes import Fakes, fakes
from support.stage import GAME, Stage, act, announce, follow, refused, settled, terms_of

NAMES = ("Ann", "Bob", "Cyd", "Dee", "Eve", "Fay")


@pytest.fixture
def world() -> Fakes:
    return fakes()


@pytest.fixture
async def hall(world: Fakes) -> AsyncIterator[Lobby]:
    async with lobby(world) as up:
        yield up


async def registered(hall: Lobby, format: Format, *, size: int = 2, **changes: object) -> Stage:
    people = [await hall.person(name) for name in NAMES[:size]]
    code = await announce(people[0], terms_of(format, **changes))
    stage = Stage(hall, people, code)
    await stage.register()
    return stage


async def started(hall: Lobby, format: Format, *, size: int = 2, **changes: object) -> Stage:
    stage = await registered(hall, format, size=size, **changes)
    await act(host_of(stage), stage.code, requests.StartTournament())
    return stage


def host_of(stage: Stage) -> Person:
    return stage.people[stage.strength[0]]


def only(stage: Stage) -> Match:
    (match,) = stage.state.matches.values()
    return match


async def enter(stage: Stage, player: str) -> str:
    """One player comes to the race that is called for them and is ready."""
    (race,) = [room.id for room in stage.rooms() if player in room.race.opened.invited]
    await stage.people[player].join(race)
    await stage.people[player].ready(race)
    await settled(stage.lobby)
    return race


async def running(stage: Stage) -> str:
    """The first race runs."""
    first = stage.rooms()[0]
    for player in first.race.opened.invited:
        await stage.people[player].join(first.id)
    for player in first.race.opened.invited:
        await stage.people[player].ready(first.id)
    await stage.pass_time(0)
    assert first.race.phase is RacePhase.RUNNING
    return first.id


async def phase_of(hall: Lobby, race: str) -> RacePhase:
    return (await hall.hall.find(race)).race.phase


# --- being there -------------------------------------------------------------------------------


async def test_players_are_invited_to_their_race_and_nobody_else_enters(hall: Lobby) -> None:
    stage = await started(hall, SingleElimination())
    (room,) = stage.rooms()
    assert set(room.race.opened.invited) == set(stage.strength)
    assert room.race.host == stage.code
    other = await hall.person("Zoe")
    join = messages.Join(id=other.next_id(), race=room.id)
    assert await other.refusal(join) == "not-invited"


async def test_a_full_book_of_races_keeps_nobody_from_their_tournament(world: Fakes) -> None:
    async with lobby(world, races_per_player=1) as hall:
        stage = await started(hall, SingleElimination())
        for player in stage.strength:
            await hall.race(stage.people[player])
        for player in stage.strength:
            await enter(stage, player)
        await stage.play()
        assert stage.state.phase is Phase.OVER


async def test_who_is_there_alone_when_time_is_up_wins_and_the_race_is_stopped(
    hall: Lobby,
) -> None:
    stage = await started(hall, SingleElimination(), no_show=60)
    race = await enter(stage, stage.strength[1])
    await stage.pass_time(59_999)
    assert only(stage).is_open
    await stage.pass_time(1)
    result = only(stage).result
    assert result is not None
    assert (result.ending, result.winner) == (Ending.WALKOVER, 2)
    assert await phase_of(hall, race) is RacePhase.CANCELLED
    missing = next(each.name for each in stage.state.players.values() if each.number != 2)
    assert (await hall.hall.find(race)).race.cancelled == f"{missing} did not come"
    assert stage.state.phase is Phase.OVER
    # What the tournament's log cannot prove, the race's replay shows: who was ready in it.
    told = map(parse_line, await hall.hall.records.replay(race))
    assert [each.entrant for each in told if isinstance(each, Readied)] == [1]


async def test_who_is_away_when_time_is_up_is_not_there(hall: Lobby) -> None:
    stage = await started(hall, SingleElimination(), no_show=60)
    await enter(stage, stage.strength[0])
    stage.people[stage.strength[0]].leave()
    await settled(hall)
    await stage.pass_time(60_000)
    result = only(stage).result
    assert result is not None
    assert result.ending is Ending.FORFEIT


async def test_a_heat_starts_with_those_who_are_there(hall: Lobby) -> None:
    stage = await started(hall, Heats(rounds=1, size=3), size=3, no_show=60)
    await enter(stage, stage.strength[0])
    race = await enter(stage, stage.strength[1])
    await stage.pass_time(60_000)
    await stage.pass_time(0)
    assert await phase_of(hall, race) is RacePhase.RUNNING
    assert only(stage).races[0].state is RaceState.RUNNING
    stage.absent = {stage.strength[2]}
    await stage.play()
    showings = {each.player: each.place for each in only(stage).races[0].showings}
    assert showings == {1: 1, 2: 2, 3: None}


async def test_who_has_not_checked_in_does_not_play(hall: Lobby) -> None:
    starts = EPOCH + 600_000
    stage = await registered(
        hall, RoundRobin(), size=3, starts=starts, check_in=300, registration=Registration.OPEN
    )
    await stage.pass_time(300_000)
    assert stage.phase() is Phase.CHECK_IN
    for player in stage.strength[:2]:
        await act(stage.people[player], stage.code, requests.CheckIn())
    await stage.pass_time(300_000)
    assert stage.phase() is Phase.RUNNING
    assert [entry.name for entry in stage.state.playing()] == ["Ann", "Bob"]
    assert len(stage.rooms()) == 1


async def test_what_is_due_is_kept_though_what_is_asked_then_is_refused(hall: Lobby) -> None:
    starts = EPOCH + 600_000
    stage = await registered(hall, RoundRobin(), size=3, starts=starts, check_in=300)
    await stage.pass_time(300_000)
    for player in stage.strength[:2]:
        await act(stage.people[player], stage.code, requests.CheckIn())
    hall.world.clock.advance(300_000)
    late = stage.people[stage.strength[2]]
    assert await refused(late, stage.code, requests.CheckIn()) == "not-now"
    assert stage.phase() is Phase.RUNNING
    assert [entry.name for entry in stage.state.playing()] == ["Ann", "Bob"]


async def test_with_too_few_it_is_called_off_when_it_should_start(hall: Lobby) -> None:
    stage = await registered(hall, SingleElimination(), starts=EPOCH + 60_000, least=3)
    await stage.pass_time(60_000)
    assert stage.state.phase is Phase.CALLED_OFF
    await settled(hall)
    assert [row.race for row in await hall.world.log.cups(over=True, limit=9)] == [stage.code]


# --- staff -------------------------------------------------------------------------------------


async def test_a_void_race_is_stopped_and_another_is_opened(hall: Lobby) -> None:
    stage = await started(hall, SingleElimination())
    race = await running(stage)
    void = requests.VoidRace(match=only(stage).id, number=1, reason="the wrong game")
    await act(host_of(stage), stage.code, void)
    assert await phase_of(hall, race) is RacePhase.CANCELLED
    (room,) = stage.rooms()
    assert room.id != race
    before = (await hall.hall.find(race)).race.opened.seed
    assert room.race.opened.seed != before
    await stage.play()
    assert stage.state.phase is Phase.OVER


async def test_an_overridden_match_needs_its_race_no_more(hall: Lobby) -> None:
    stage = await started(hall, SingleElimination())
    race = await running(stage)
    override = requests.Override(match=only(stage).id, winner=2, reason="a bet was lost")
    await act(host_of(stage), stage.code, override)
    assert await phase_of(hall, race) is RacePhase.CANCELLED
    assert stage.state.champion == 2


async def test_an_override_takes_back_what_rests_on_the_old_result(hall: Lobby) -> None:
    stage = await started(hall, SingleElimination(), size=4)
    while len(stage.state.matches) < 3:
        await stage.step()
    final = list(stage.state.matches)[-1]
    race = await running(stage)
    first = next(iter(stage.state.matches.values()))
    assert first.result is not None
    loser = next(each for each in first.players if each != first.result.winner)
    override = requests.Override(match=first.id, winner=loser, reason="seen again")
    await act(host_of(stage), stage.code, override)
    assert await phase_of(hall, race) is RacePhase.CANCELLED
    assert loser in stage.state.matches[final].players
    await stage.play()
    assert stage.state.phase is Phase.OVER


async def test_nothing_is_called_while_it_is_halted_and_time_does_not_run_out(
    hall: Lobby,
) -> None:
    stage = await started(hall, SingleElimination(), no_show=60)
    race = await enter(stage, stage.strength[0])
    await act(host_of(stage), stage.code, requests.Halt(reason="a storm"))
    await stage.pass_time(600_000)
    assert only(stage).is_open
    await act(host_of(stage), stage.code, requests.Continue())
    await stage.pass_time(59_999)
    assert only(stage).is_open
    assert await phase_of(hall, race) is RacePhase.OPEN
    await stage.pass_time(1)
    assert not only(stage).is_open


async def test_a_race_that_was_started_goes_on_while_it_is_halted(hall: Lobby) -> None:
    stage = await started(hall, SingleElimination(length=Length(best_of=3)))
    await running(stage)
    await act(host_of(stage), stage.code, requests.Halt(reason="a storm"))
    while only(stage).active is not None:
        await stage.step()
    assert len(only(stage).races) == 1
    await act(host_of(stage), stage.code, requests.Continue())
    assert len(only(stage).races) == 2


async def test_calling_it_off_stops_what_runs(hall: Lobby) -> None:
    stage = await started(hall, RoundRobin(), size=4)
    races = [room.id for room in stage.rooms()]
    await running(stage)
    await act(host_of(stage), stage.code, requests.CallOff(reason="the hall is on fire"))
    assert [await phase_of(hall, race) for race in races] == [RacePhase.CANCELLED] * len(races)
    row = await hall.world.log.race(stage.code)
    assert row is not None
    assert row.is_over


async def test_who_withdraws_loses_what_is_open_to_the_other(hall: Lobby) -> None:
    stage = await started(hall, SingleElimination())
    race = await running(stage)
    await act(stage.people[stage.strength[0]], stage.code, requests.Withdraw())
    assert stage.state.champion == 2
    assert await phase_of(hall, race) is RacePhase.CANCELLED


async def test_rounds_by_hand_wait_for_the_host(hall: Lobby) -> None:
    stage = await started(hall, Swiss(rounds=2), size=4, rounds_by_hand=True)
    assert stage.state.round == 1
    while any(stage.state.open_matches()):
        await stage.step()
    assert stage.rooms() == []
    await act(host_of(stage), stage.code, requests.StartRound(round=2))
    assert stage.state.round == 2
    await stage.play()


async def test_a_latecomer_is_paired_from_the_next_round_on(hall: Lobby) -> None:
    stage = await started(hall, Swiss(rounds=3), size=4, late_until=2)
    late = await hall.person("Zoe")
    stage.people[late.player] = late
    stage.strength.append(late.player)
    await act(late, stage.code, requests.Register())
    await stage.play()
    own = [match for match in stage.state.matches.values() if 5 in match.players]
    assert [match.round for match in own] == [2, 3]


async def test_the_next_of_a_series_is_announced_once_with_the_same_terms(
    hall: Lobby, world: Fakes
) -> None:
    repeat = Schedule(zone="UTC", every=Every.DAY, at="18:00")
    stage = await registered(
        hall, SingleElimination(), starts=EPOCH + 60_000, repeat=repeat, announced_ahead=86_400
    )
    await stage.pass_time(60_000)
    followed = stage.state.next
    assert followed is not None
    cards = await world.log.cups(over=False, limit=9)
    assert {row.race for row in cards} == {stage.code, followed.next}
    sheet = await follow(host_of(stage), followed.next, once=True)
    assert sheet.terms.starts == followed.starts
    assert sheet.follows == stage.code
    assert (await follow(host_of(stage), stage.code, once=True)).next == followed.next
    await stage.play()
    await settled(hall)
    assert [row.race for row in await world.log.cups(over=True, limit=9)] == [stage.code]


async def test_players_pick_the_game_of_a_race(hall: Lobby) -> None:
    stage = await started(
        hall, SingleElimination(), games=("chessboard",), choice=Choice.PICK, pick=60
    )
    assert stage.rooms() == []
    sheet = await follow(host_of(stage), stage.code, once=True)
    pick = sheet.matches[0].pick
    assert pick is not None
    picker = stage.state.players[pick.player].id
    chosen = requests.PickGame(match=only(stage).id, game="chessboard")
    await act(stage.people[picker], stage.code, chosen)
    (room,) = stage.rooms()
    assert room.race.terms.game == "chessboard"


async def test_an_async_race_is_played_when_each_likes(hall: Lobby) -> None:
    race = Terms(game=GAME, mode=Mode.ASYNC, closes=3600, limit=600)
    stage = await started(hall, SingleElimination(), race=race)
    (room,) = stage.rooms()
    for player in stage.strength:
        person = stage.people[player]
        await person.join(room.id)
        await person.get(messages.Snapshot, messages.Begin(id=person.next_id(), race=room.id))
        await settled(hall)
        while room.race.by_player[player].state.value == "racing":
            await stage.step()
    await settled(hall)
    assert stage.state.phase is Phase.OVER
    assert stage.state.champion == 1


async def test_races_of_an_unlisted_tournament_are_unlisted(hall: Lobby) -> None:
    stage = await started(hall, SingleElimination(), visibility=Visibility.UNLISTED)
    (room,) = stage.rooms()
    assert room.race.terms.visibility is Visibility.UNLISTED
    assert hall.hall.listed() == ()


async def test_in_the_lobby_a_tournaments_races_come_after_all_others(hall: Lobby) -> None:
    person = await hall.person("Zoe")
    first = await hall.race(person)
    stage = await started(hall, RoundRobin(), size=4)
    cards = hall.hall.listed()
    assert cards[0].race == first
    assert [card.tournament for card in cards[1:]] == [stage.code] * 2


# --- rights ------------------------------------------------------------------------------------


async def test_only_staff_may_step_in(hall: Lobby) -> None:
    stage = await started(hall, SingleElimination())
    other = stage.people[stage.strength[1]]
    assert await refused(other, stage.code, requests.Halt(reason="me")) == "not-staff"
    await act(host_of(stage), stage.code, requests.Appoint(name="Bob", role="referee"))
    await act(other, stage.code, requests.Halt(reason="me"))
    assert stage.state.halted == "me"


async def test_somebody_nobody_knows_cannot_be_appointed(hall: Lobby) -> None:
    stage = await registered(hall, SingleElimination())
    appoint = requests.Appoint(name="Nobody", role="referee")
    assert await refused(host_of(stage), stage.code, appoint) == "no-such-player"


async def test_a_pass_phrase_lets_in_who_knows_it(hall: Lobby) -> None:
    host, other = await hall.person("Ann"), await hall.person("Bob")
    terms = terms_of(SingleElimination(), registration=Registration.PHRASE)
    code = await announce(host, terms, phrase="open sesame")
    assert await refused(other, code, requests.Register(phrase="sesame")) == "wrong-phrase"
    assert await refused(other, code, requests.Register()) == "wrong-phrase"
    await act(other, code, requests.Register(phrase="open sesame"))


async def test_phrases_cannot_be_guessed_quickly(hall: Lobby) -> None:
    host, other = await hall.person("Ann"), await hall.person("Bob")
    terms = terms_of(SingleElimination(), registration=Registration.PHRASE)
    code = await announce(host, terms, phrase="open sesame")
    tried = [
        await refused(other, code, requests.Register(phrase=f"guess {number}"))
        for number in range(6)
    ]
    assert tried == ["wrong-phrase"] * 5 + ["rate-limited"]
    again = await hall.again(other)
    assert await refused(again, code, requests.Register(phrase="guess 6")) == "rate-limited"


async def test_bots_stay_out_where_only_people_play(hall: Lobby) -> None:
    host, bot = await hall.person("Ann"), await hall.person("greedy", bot=True)
    race = Terms(game=GAME, limit=600, bots=False)
    code = await announce(host, terms_of(SingleElimination(), race=race))
    assert await refused(bot, code, requests.Register()) == "no-bots"


async def test_terms_that_cannot_be_are_refused_with_the_reason(hall: Lobby) -> None:
    host = await hall.person("Ann")
    bad = terms_of(SingleElimination(), race=Terms(game=GAME, limit=600, start=Start.HOST))
    message = requests.AnnounceTournament(id=host.next_id(), terms=bad)
    reply = await host.reply_to(message)
    assert isinstance(reply, messages.Error)
    assert reply.code == "bad-terms"
    assert "race.start" in reply.message


async def test_the_rated_are_seeded_by_their_ratings(hall: Lobby) -> None:
    stage = await registered(hall, SingleElimination(), size=3, seeding=Seeding.RATING)
    await hall.hall.boards.keeper.look()
    ledger = hall.hall.boards.keeper.ledger
    assert ledger is not None
    points = {stage.strength[1]: Rating(1600, 100), stage.strength[2]: Rating(1700, 100)}
    ledger.book.pools[Pool(bots=False, game=GAME)] = points
    await act(host_of(stage), stage.code, requests.StartTournament())
    assert [entry.name for entry in stage.state.playing()] == ["Cyd", "Bob", "Ann"]


# --- outages -----------------------------------------------------------------------------------


async def test_an_outage_costs_nobody_their_time_to_be_ready(world: Fakes) -> None:
    async with lobby(world) as hall:
        stage = await started(hall, SingleElimination(), no_show=60)
        tokens = [each.welcome.token for each in stage.people.values() if each.welcome]
        await stage.pass_time(50_000)
        await hall.hall.beat()
    world.clock.advance(3_600_000)
    async with lobby(world) as hall:
        people = [await Person(hall).hello(token=token) for token in tokens]
        stage = Stage(hall, people, stage.code)
        await follow(people[0], stage.code, once=True)
        await settled(hall)
        # Ten seconds were left, and half a minute is for coming back.
        await stage.pass_time(39_000)
        assert only(stage).is_open
        await stage.play()
        result = only(stage).result
        assert result is not None
        assert result.ending is Ending.PLAYED


async def test_a_draining_server_opens_no_race_and_the_next_one_does(world: Fakes) -> None:
    async with lobby(world) as hall:
        stage = await registered(hall, SingleElimination())
        tokens = [each.welcome.token for each in stage.people.values() if each.welcome]
        await hall.hall.drain()
        await act(host_of(stage), stage.code, requests.StartTournament())
        assert stage.rooms() == []
        await hall.hall.close()
    async with lobby(world) as hall:
        people = [await Person(hall).hello(token=token) for token in tokens]
        stage = Stage(hall, people, stage.code)
        await follow(people[0], stage.code, once=True)
        await stage.play()
        assert await stage.standings() == "1 Ann, 2 Bob"
