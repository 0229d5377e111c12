"""Races of a match: called, waited for, played, picked, and what becomes of who does not come."""

from __future__ import annotations

import pytest

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.terms import Mode, Terms
from samedeal_protocol.tournament import events
from samedeal_protocol.tournament.events import Ending, MatchResult, Showing
from samedeal_protocol.tournament.formats import (
    Heats,
    Ladder,
    Length,
    RoundRobin,
    SingleElimination,
    Swiss,
)
from samedeal_protocol.tournament.requests import ComeBack as Back
from samedeal_protocol.tournament.requests import (
    Disqualify,
    Override,
    PickGame,
    RingBell,
    SitOut,
    VoidRace,
    Withdraw,
)
from samedeal_protocol.tournament.terms import Choice
from samedeal_server.hosting.commands import (
    RaceHasEnded,
    RaceHasStarted,
    RaceWasCancelled,
    Resumed,
    Tick,
)
from samedeal_server.hosting.reports import RETURN_MS
from samedeal_server.hosting.state import Phase
from samedeal_server.hosting.tournament import due
from samedeal_server.hosting.view import changed, sheet
from support.hosting import GAME, HOST, OPENED, SALT, Stage, terms

MINUTE = 60_000


def four(**more: object) -> Stage:
    """Ann, Bob, Cy and Dot in a single elimination: Ann meets Dot, Bob meets Cy."""
    stage = Stage(terms(SingleElimination(), **more))
    stage.start("Ann", "Bob", "Cy", "Dot")
    return stage


def names(stage: Stage) -> str:
    return " ".join(type(event).__name__ for event in stage.log)


# --- a whole tournament


def test_a_whole_single_elimination_of_four() -> None:
    stage = four()
    assert stage.pairings() == "Ann-Dot Bob-Cy"
    assert stage.end("W1.1", "Ann@90 Dot@95") == ["RaceEnded", "Decided"]
    assert stage.end("W1.2", "Cy@80 Bob:40") == ["RaceEnded", "Decided", "Paired", "Called"]
    assert stage.pairings() == "Ann-Cy"
    assert stage.end("F", "Cy@70 Ann@71") == ["RaceEnded", "Decided", "Over"]
    assert stage.state.champion == stage.number("Cy")
    assert names(stage) == (
        "Announced Registered Registered Registered Registered Started Paired Called Called "
        "RaceStarted RaceEnded Decided RaceStarted RaceEnded Decided Paired Called "
        "RaceStarted RaceEnded Decided Over"
    )
    stage.replays()


def test_a_race_has_a_code_that_tells_match_and_number() -> None:
    stage = four()
    assert [stage.race(id) for id in ("W1.1", "W1.2")] == ["bench-W1_1-1", "bench-W1_2-1"]
    called = [event for event in stage.log if isinstance(event, events.Called)]
    assert len({event.salt for event in called}) == 2
    assert all(len(bytes.fromhex(event.salt)) == 16 and event.salt != SALT for event in called)


def test_a_match_of_several_races_goes_on_until_it_cannot_be_lost() -> None:
    stage = Stage(terms(SingleElimination(length=Length(best_of=3))))
    stage.start("Ann", "Bob")
    assert stage.end("F", "Ann@90 Bob@95") == ["RaceEnded", "Called"]
    assert stage.end("F", "Bob@90 Ann@95") == ["RaceEnded", "Called"]
    assert stage.race("F") == "bench-F-3"
    assert stage.end("F", "Bob@90 Ann@95") == ["RaceEnded", "Decided", "Over"]
    assert stage.match("F").result == MatchResult(ending=Ending.PLAYED, winner=2)


def test_who_never_came_to_a_race_that_was_run_has_no_place() -> None:
    stage = Stage(terms(Heats(rounds=1)))
    stage.start("Ann", "Bob", "Cy")
    stage.end("H1.1", "Ann@90 Bob@95")
    ended = next(event for event in stage.log if isinstance(event, events.RaceEnded))
    assert [(own.player, own.place) for own in ended.showings] == [(1, 1), (2, 2), (3, None)]


def test_games_rotate_by_rounds_and_within_a_match_by_races() -> None:
    format = RoundRobin(length=Length(best_of=3))
    stage = Stage(terms(format, games=("opus", "amazons")))
    stage.start("Ann", "Bob", "Cy", "Dot")
    first = stage.match("R1.1").active
    assert first is not None
    assert first.game == GAME
    stage.end("R1.1", "Ann@1 Dot@2")
    second = stage.match("R1.1").active
    assert second is not None
    assert second.game == "opus"
    for match, order in (("R1.1", "Ann@1 Dot@2"), ("R1.2", "Bob@1 Cy@2"), ("R1.2", "Bob@1 Cy@2")):
        stage.end(match, order)
    assert stage.state.round == 2
    assert {match.active.game for match in stage.state.open_matches() if match.active} == {"opus"}


def test_a_void_race_uses_up_its_number_and_no_game() -> None:
    stage = Stage(terms(SingleElimination(), games=("opus",)))
    stage.start("Ann", "Bob")
    stage.do(HOST, VoidRace(match="F", number=1, reason="a bug"))
    race = stage.match("F").active
    assert race is not None
    assert (race.number, race.game) == (2, GAME)


def test_a_race_of_two_who_share_its_place_is_told_as_drawn() -> None:
    stage = Stage(terms(SingleElimination()))
    stage.start("Ann", "Bob")
    code = stage.race("F")
    stage.tell(RaceHasStarted(race=code))
    before, length = stage.state, len(stage.log)
    level = tuple(Showing(player=each, place=1, elapsed_ms=None, home=7) for each in (1, 2))
    stage.tell(RaceHasEnded(race=code, showings=level))
    told = changed(before, stage.state, stage.log[length:], 0).text
    assert told[0] == "F Ann – Bob: race 1 is drawn"


# --- being there


def test_who_is_not_there_in_time_has_lost_by_walkover() -> None:
    stage = four(no_show=120)
    assert due(stage.state) == OPENED + 120_000
    stage.now += 120_000 - 1
    assert stage.muster(stage.race("W1.1"), "ann") == ()
    stage.now += 1
    stage.muster(stage.race("W1.1"), "ann")
    assert stage.match("W1.1").result == MatchResult(ending=Ending.WALKOVER, winner=1)
    assert "bench-W1_1-1" in stage.state.dropped


@pytest.mark.parametrize(
    ("there", "left", "told", "reason"),
    [
        (["ann"], None, "Bob did not come: walkover for Ann", "Bob did not come"),
        ([], None, "Ann and Bob did not come: nobody wins", "Ann and Bob did not come"),
        ([], "Bob", "Bob has left: walkover for Ann", "Bob has left"),
    ],
)
def test_who_did_not_come_or_has_left_is_named(
    there: list[str], left: str | None, told: str, reason: str
) -> None:
    stage = Stage(terms(SingleElimination(), no_show=120))
    stage.start("Ann", "Bob")
    before, length = stage.state, len(stage.log)
    if left is None:
        stage.now += 120_000
        stage.muster(stage.race("F"), *there)
    else:
        stage.do(left, Withdraw())
    assert f"F Ann – Bob: {told}" in changed(before, stage.state, stage.log[length:], 0).text
    (final,) = sheet(stage.state, "zoe", stage.now).matches
    assert final.unplayed == reason
    assert [race.reason for race in final.races] == [reason]


def test_a_walkover_that_staff_gives_names_nobody_as_missing() -> None:
    stage = Stage(terms(SingleElimination()))
    stage.start("Ann", "Bob")
    given = Override(match="F", winner=1, ending=Ending.WALKOVER, reason="Bob is ill")
    before, length = stage.state, len(stage.log)
    stage.do(HOST, given)
    said = "F Ann – Bob: walkover for Ann, overridden by Hostess: Bob is ill"
    assert said in changed(before, stage.state, stage.log[length:], 0).text
    assert stage.match("F").unplayed == ""


def test_nobody_there_is_a_double_forfeit() -> None:
    stage = four(no_show=120)
    stage.now += 120_000
    stage.muster(stage.race("W1.1"))
    assert stage.match("W1.1").result == MatchResult(ending=Ending.FORFEIT)
    stage.end("W1.2", "Bob@9 Cy@10")
    assert stage.state.champion == stage.number("Bob"), "nobody comes from the other half"


def test_with_both_there_the_race_is_to_start_and_is_looked_at_again() -> None:
    stage = four(no_show=120)
    stage.now += 120_000
    code = stage.race("W1.1")
    (mustered,) = stage.muster(code, "ann", "dot")
    assert isinstance(mustered, events.Mustered)
    assert mustered.there == (1, 4)
    stage.now += 60_000
    assert due(stage.state) == min(stage.now, OPENED + 120_000)
    stage.muster(code, "dot")
    assert stage.match("W1.1").result == MatchResult(ending=Ending.WALKOVER, winner=4)


def test_a_race_that_runs_is_waited_for_no_more() -> None:
    stage = four(no_show=120)
    stage.tell(RaceHasStarted(race=stage.race("W1.1")))
    stage.now += 130_000
    assert stage.muster(stage.race("W1.1"), "ann") == ()
    assert stage.match("W1.1").is_open


def test_a_heat_starts_without_who_is_not_there() -> None:
    stage = Stage(terms(Heats(rounds=1), no_show=120))
    stage.start("Ann", "Bob", "Cy")
    stage.now += 120_000
    (mustered,) = stage.muster(stage.race("H1.1"), "cy", "ann")
    assert isinstance(mustered, events.Mustered)
    assert mustered.there == (1, 3)


def test_who_has_left_is_not_there_though_they_say_ready() -> None:
    stage = Stage(terms(Heats(rounds=1), no_show=120))
    stage.start("Ann", "Bob", "Cy")
    stage.do("Bob", Withdraw())
    stage.now += 120_000
    (mustered,) = stage.muster(stage.race("H1.1"), "ann", "bob", "cy")
    assert isinstance(mustered, events.Mustered)
    assert mustered.there == (1, 3)


def test_who_is_alone_in_a_heat_has_won_it_by_walkover() -> None:
    stage = Stage(terms(Heats(rounds=1), no_show=120))
    stage.start("Ann", "Bob", "Cy")
    stage.now += 120_000
    stage.muster(stage.race("H1.1"), "cy")
    assert stage.match("H1.1").result == MatchResult(ending=Ending.WALKOVER, winner=3)
    assert stage.state.phase is Phase.OVER


def test_a_walkover_is_taken_back_by_voiding_the_race_that_was_missed() -> None:
    stage = four(no_show=120)
    stage.now += 120_000
    stage.muster(stage.race("W1.1"), "ann")
    told = stage.do(HOST, VoidRace(match="W1.1", number=1, reason="the door was locked"))
    assert told == ["RaceVoided", "Called"]
    assert stage.race("W1.1") == "bench-W1_1-2"


def test_a_walkover_of_somebody_who_left_is_not_taken_back() -> None:
    stage = four()
    stage.do("Dot", Withdraw())
    assert stage.do(HOST, VoidRace(match="W1.1", number=1, reason="no")) == []


def test_who_leaves_gives_open_matches_to_the_opponents() -> None:
    stage = four()
    stage.tell(RaceHasStarted(race=stage.race("W1.1")))
    assert stage.do("Dot", Withdraw()) == ["Withdrew", "Decided"]
    assert stage.match("W1.1").result == MatchResult(ending=Ending.WALKOVER, winner=1)
    assert stage.state.dropped == ("bench-W1_1-1",)


def test_staff_withdraws_somebody_and_others_only_themselves() -> None:
    stage = four()
    assert stage.refusal("Ann", Withdraw(player=4)) is ErrorCode.NOT_STAFF
    assert stage.do(HOST, Withdraw(player=4)) == ["Withdrew", "Decided"]


def test_the_disqualified_have_lost_and_stand_last() -> None:
    stage = Stage(terms(RoundRobin()))
    stage.start("Ann", "Bob", "Cy")
    stage.do(HOST, Disqualify(player=1, reason="two boards"))
    assert stage.state.players[1].state == "disqualified"
    assert stage.refusal("Ann", Back()) is ErrorCode.NOT_NOW


# --- reports that come late, twice, or of nothing


def test_reports_of_races_that_count_no_more_cause_nothing() -> None:
    stage = four()
    code = stage.race("W1.1")
    stage.do(HOST, VoidRace(match="W1.1", number=1, reason="a bug"))
    for report in (
        RaceHasStarted(race=code),
        RaceHasEnded(race=code, showings=()),
        RaceWasCancelled(race=code, reason="called off"),
        RaceHasStarted(race="somebody-elses"),
    ):
        assert stage.tell(report) == ()


def test_a_race_that_failed_is_played_again_and_after_three_somebody_has_to_look() -> None:
    stage = four()
    for number in (1, 2):
        assert stage.race("W1.1") == f"bench-W1_1-{number}"
        stage.tell(RaceWasCancelled(race=stage.race("W1.1"), reason="the server failed"))
    told = stage.tell(RaceWasCancelled(race=stage.race("W1.1"), reason="the server failed"))
    assert [type(event).__name__ for event in told] == ["RaceVoided", "Halted"]
    assert stage.state.halted is not None
    assert "W1.1" in stage.state.halted


def test_an_outage_is_on_nobodys_clock() -> None:
    stage = four(no_show=120)
    stage.now += 600_000
    stage.tell(Resumed(since=OPENED + 100_000))
    later = 500_000 + RETURN_MS
    assert due(stage.state) == OPENED + 120_000 + later


def test_an_outage_moves_a_start_that_fell_into_it_and_no_other() -> None:
    stage = Stage(terms(SingleElimination(), starts=OPENED + MINUTE))
    stage.register("Ann", "Bob")
    stage.now += MINUTE // 2
    assert stage.tell(Resumed(since=OPENED + 1000)) == ()
    stage.now += 10 * MINUTE
    stage.tell(Resumed(since=OPENED + MINUTE // 2))
    assert due(stage.state) == stage.now + RETURN_MS


def test_an_outage_takes_nothing_from_the_check_in() -> None:
    stage = Stage(terms(SingleElimination(), starts=OPENED + 60 * MINUTE, check_in=600))
    stage.register("Ann", "Bob")
    stage.now += 55 * MINUTE  # five of ten minutes have passed
    stage.tell(Resumed(since=OPENED + 10 * MINUTE))
    assert stage.state.starts == OPENED + 65 * MINUTE + RETURN_MS


def test_a_late_tick_gives_players_all_their_time() -> None:
    stage = Stage(terms(SingleElimination(), starts=OPENED + MINUTE, no_show=120))
    stage.register("Ann", "Bob")
    stage.now += 60 * MINUTE
    stage.tell(Tick())
    assert due(stage.state) == stage.now + 120_000


# --- at one's own pace


def own_pace(format: SingleElimination | Heats) -> Stage:
    stage = Stage(terms(format, race=Terms(game=GAME, mode=Mode.ASYNC, closes=3600)))
    stage.start("Ann", "Bob", "Cy")
    return stage


def test_a_race_at_ones_own_pace_waits_for_nobody_to_be_ready() -> None:
    stage = own_pace(Heats(rounds=1))
    race = stage.match("H1.1").active
    assert race is not None
    assert race.ready_by == OPENED + 3_600_000
    stage.wait(3_600_000)
    assert stage.match("H1.1").is_open


def test_when_it_closes_and_nobody_began_nobody_has_come() -> None:
    pair = own_pace(SingleElimination())
    pair.now += 3_600_000
    pair.tell(RaceWasCancelled(race=pair.race("W1.2"), reason="nobody began"))
    assert pair.match("W1.2").result == MatchResult(ending=Ending.FORFEIT)
    heat = own_pace(Heats(rounds=1))
    heat.now += 3_600_000
    heat.tell(RaceWasCancelled(race=heat.race("H1.1"), reason="nobody began"))
    result = heat.match("H1.1").result
    assert result is not None
    assert result.ending is Ending.PLAYED


# --- picking


def picking() -> Stage:
    """Best of three, the games picked within half a minute: Ann has the better seed number."""
    format = SingleElimination(length=Length(best_of=3))
    pool = ("opus", "amazons")
    stage = Stage(terms(format, games=pool, choice=Choice.PICK, pick=30))
    stage.start("Ann", "Bob")
    return stage


def test_the_lower_seed_picks_first_and_then_whoever_lost() -> None:
    stage = picking()
    assert stage.refusal("Ann", PickGame(match="F", game="opus")) is ErrorCode.NOT_NOW
    assert stage.do("Bob", PickGame(match="F", game="opus")) == ["Picked", "Called"]
    stage.end("F", "Bob@1 Ann@2")
    assert stage.refusal("Bob", PickGame(match="F", game="opus")) is ErrorCode.NOT_NOW
    assert stage.do("Ann", PickGame(match="F", game="amazons")) == ["Picked", "Called"]
    race = stage.match("F").active
    assert race is not None
    assert race.game == "amazons"


def test_only_games_of_the_pool_are_picked() -> None:
    assert picking().refusal("Bob", PickGame(match="F", game="box-kite")) is ErrorCode.NO_SUCH_GAME


def test_who_does_not_pick_in_time_is_given_a_game_by_lot() -> None:
    stage = picking()
    assert stage.wait(29_999) == []
    assert stage.wait(1) == ["Picked", "Called"]
    picked = stage.log[-2]
    assert isinstance(picked, events.Picked)
    assert (picked.at, picked.player) == (OPENED + 30_000, None)
    assert picked.game in (GAME, "opus", "amazons")


# --- sitting out


def test_who_sits_out_is_not_paired_until_back() -> None:
    stage = Stage(terms(Swiss(rounds=2)))
    stage.start("Ann", "Bob", "Cy", "Dot")
    stage.do("Dot", SitOut())
    stage.end("R1.1", "Ann@1 Cy@2")
    stage.end("R1.2", "Bob@1 Dot@2")
    assert all(4 not in match.players for match in stage.state.open_matches())
    assert stage.do("Dot", Back()) == ["CameBack"]


def test_nobody_sits_out_where_all_matches_are_fixed() -> None:
    assert four().refusal("Ann", SitOut()) is ErrorCode.NOT_NOW


@pytest.mark.parametrize("by_hand", [False, True])
def test_after_the_bell_nothing_is_paired_and_what_runs_counts(*, by_hand: bool) -> None:
    stage = Stage(terms(Ladder(), bell=600))
    stage.start("Ann", "Bob", "Cy", "Dot")
    for match in list(stage.state.open_matches()):
        stage.tell(RaceHasStarted(race=stage.race(match.id)))
    if by_hand:
        assert stage.do(HOST, RingBell()) == ["Rung"]
    else:
        assert stage.wait(599_999) == []
        assert stage.wait(1) == ["Rung"]
        assert stage.log[-1].at == OPENED + 600_000
    stage.end("A1", "Ann@1 Bob@2" if 2 in stage.match("A1").players else "Ann@1")
    assert not stage.state.is_final
    assert stage.end("A2", "Cy@1 Dot@2")[-1] == "Over"
    assert len(stage.state.matches) == 2
