"""What those who run a tournament do: rounds, pauses, time, voids, overrides, people, the end."""

from __future__ import annotations

import pytest

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.tournament import events, requests
from samedeal_protocol.tournament.events import Ending, MatchResult
from samedeal_protocol.tournament.formats import (
    DoubleElimination,
    Format,
    Heats,
    Ladder,
    Length,
    RoundRobin,
    SingleElimination,
    Swiss,
)
from samedeal_protocol.tournament.requests import (
    AddHook,
    Appoint,
    CallOff,
    Continue,
    Disqualify,
    Extend,
    Halt,
    Invite,
    Override,
    Register,
    Reinstate,
    RemoveHook,
    StartRound,
    StartTournament,
    VoidRace,
    Withdraw,
)
from samedeal_server.hosting.clockwork import FORSAKEN_MS
from samedeal_server.hosting.commands import Person
from samedeal_server.hosting.rights import RIGHTS, Right
from samedeal_server.hosting.state import Phase
from samedeal_server.hosting.tournament import due
from support.hosting import HOST, OPENED, Stage, person, terms

MINUTE = 60_000


def staged(format: Format, **more: object) -> Stage:
    """Ann, Bob, Cy and Dot play; in an elimination Ann meets Dot, and Bob meets Cy."""
    stage = Stage(terms(format, **more))
    stage.start("Ann", "Bob", "Cy", "Dot")
    return stage


def first_round(stage: Stage) -> None:
    stage.end("R1.1", "Ann@1 Cy@2")
    stage.end("R1.2", "Bob@1 Dot@2")


# --- rounds


def test_by_hand_a_round_is_paired_when_the_host_says_so() -> None:
    stage = staged(Swiss(rounds=2), rounds_by_hand=True)
    first_round(stage)
    assert stage.state.round == 1
    stage.wait(90 * MINUTE)
    assert stage.do(HOST, StartRound(round=2)) == ["RoundDue", "Paired", "Called", "Called"]


def test_a_word_for_a_round_that_is_not_next_is_refused() -> None:
    stage = staged(Swiss(rounds=3), rounds_by_hand=True)
    first_round(stage)
    assert stage.refusal(HOST, StartRound(round=3)) is ErrorCode.NOT_NOW
    assert stage.do(HOST, StartRound(round=1)) == []


def test_a_word_for_a_round_that_is_sent_again_starts_no_other() -> None:
    stage = staged(DoubleElimination(), rounds_by_hand=True)
    stage.end("W1.1", "Ann@1 Dot@2")
    stage.end("W1.2", "Bob@1 Cy@2")
    assert stage.do(HOST, StartRound(round=2))[0] == "RoundDue"
    stage.end("W2.1", "Ann@1 Bob@2")
    stage.end("L1.1", "Cy@1 Dot@2")
    assert stage.do(HOST, StartRound(round=2)) == []
    assert stage.do(HOST, StartRound(round=3))[0] == "RoundDue"


def test_the_next_round_waits_as_long_as_the_terms_say() -> None:
    stage = staged(Swiss(rounds=2), between=300)
    stage.now += 10_000
    first_round(stage)
    assert stage.wait(299_999) == []
    assert stage.wait(1)[:2] == ["RoundDue", "Paired"]
    assert stage.log[-1].at == OPENED + 10_000 + 300_000


def test_the_host_may_shorten_the_wait_or_stretch_it() -> None:
    short = staged(Swiss(rounds=2), between=300)
    first_round(short)
    assert short.do(HOST, StartRound(round=2))[0] == "RoundDue"
    long = staged(Swiss(rounds=2), between=300)
    first_round(long)
    long.do(HOST, Extend(seconds=60, shown=due(long.state)))
    assert long.wait(359_999) == []
    assert long.wait(1)[0] == "RoundDue"


def test_in_an_elimination_a_round_waits_for_all_matches_of_the_last() -> None:
    stage = staged(SingleElimination(), rounds_by_hand=True)
    stage.end("W1.1", "Ann@1 Dot@2")
    assert stage.do(HOST, StartRound(round=2)) == []
    stage.end("W1.2", "Bob@1 Cy@2")
    assert stage.pairings() == ""
    assert stage.do(HOST, StartRound(round=2)) == ["RoundDue", "Paired", "Called"]


def test_a_ladder_has_no_rounds_and_others_no_bell() -> None:
    ladder = Stage(terms(Ladder(), bell=600))
    ladder.start("Ann", "Bob")
    assert ladder.refusal(HOST, StartRound(round=1)) is ErrorCode.NOT_NOW
    assert staged(Swiss(rounds=2)).refusal(HOST, requests.RingBell()) is ErrorCode.NOT_NOW


# --- pauses and more time


def test_a_pause_puts_everything_off_by_its_length() -> None:
    stage = staged(SingleElimination(), no_show=120)
    stage.now += 20_000
    stage.do(HOST, Halt(reason="fire drill"))
    assert stage.wait(600_000) == []
    assert stage.muster(stage.race("W1.1")) == ()
    stage.do(HOST, Continue())
    assert due(stage.state) == OPENED + 120_000 + 600_000


def test_while_it_is_halted_races_end_and_nothing_follows_from_them() -> None:
    stage = staged(SingleElimination())
    stage.do(HOST, Halt(reason="fire drill"))
    stage.end("W1.1", "Ann@1 Dot@2")
    assert stage.end("W1.2", "Bob@1 Cy@2") == ["RaceEnded", "Decided"]
    assert stage.do(HOST, Continue()) == ["Continued", "Paired", "Called"]


def test_a_halt_leaves_time_to_look_at_the_last_race() -> None:
    stage = Stage(terms(SingleElimination()))
    stage.start("Ann", "Bob")
    stage.do(HOST, Halt(reason="a look at the final"))
    stage.end("F", "Ann@1 Bob@2")
    stage.do(HOST, VoidRace(match="F", number=1, reason="played from two boards"))
    assert stage.do(HOST, Continue()) == ["Continued", "Called"]
    assert stage.end("F", "Bob@1 Ann@2")[-1] == "Over"


def test_a_pause_between_rounds_puts_the_next_one_off() -> None:
    stage = staged(Swiss(rounds=2), between=300)
    first_round(stage)
    stage.now += 100_000
    stage.do(HOST, Halt(reason="tea"))
    stage.now += 600_000
    stage.do(HOST, Continue())
    assert due(stage.state) == OPENED + 900_000


def test_a_pause_moves_the_bell() -> None:
    stage = Stage(terms(Ladder(), bell=600))
    stage.start("Ann", "Bob")
    stage.do(HOST, Halt(reason="tea"))
    stage.wait(600_000)
    stage.do(HOST, Continue())
    assert stage.state.bell == OPENED + 1_200_000


def test_more_time_for_a_match_is_given_once_to_that_match() -> None:
    stage = staged(SingleElimination(), no_show=120)
    more = Extend(seconds=60, match="W1.1", shown=OPENED + 120_000)
    assert stage.do(HOST, more) == ["Extended"]
    deadlines = [match.active.ready_by for match in stage.state.open_matches() if match.active]
    assert deadlines == [OPENED + 180_000, OPENED + 120_000]


def test_more_time_where_nothing_waits_is_refused() -> None:
    stage = staged(SingleElimination())
    assert stage.refusal(HOST, Extend(seconds=60)) is ErrorCode.NOT_NOW
    assert stage.refusal(HOST, Extend(seconds=60, match="F")) is ErrorCode.NO_SUCH_MATCH


# --- voids and overrides


def test_a_void_race_of_a_decided_match_opens_it_again() -> None:
    stage = staged(Swiss(rounds=2))
    stage.end("R1.1", "Ann@1 Cy@2")
    told = stage.do(HOST, VoidRace(match="R1.1", number=1, reason="a bug"))
    assert told == ["RaceVoided", "Called"]
    assert stage.race("R1.1") == "bench-R1_1-2"


def test_what_rests_on_a_void_race_is_taken_back_with_its_race() -> None:
    stage = staged(SingleElimination())
    stage.end("W1.1", "Ann@1 Dot@2")
    stage.end("W1.2", "Bob@1 Cy@2")
    final = stage.race("F")
    told = stage.do(HOST, VoidRace(match="W1.1", number=1, reason="a bug"))
    assert told == ["RaceVoided", "TakenBack", "Called"]
    assert "F" not in stage.state.matches
    assert final in stage.state.dropped
    stage.end("W1.1", "Dot@1 Ann@2")
    assert stage.pairings() == "Dot-Bob"
    assert stage.race("F") == "bench-F-2", "no number is used twice"


def test_an_override_stands_against_what_the_races_say() -> None:
    stage = staged(SingleElimination())
    stage.end("W1.1", "Ann@1 Dot@2")
    act = Override(match="W1.1", winner=4, reason="seen on video")
    assert stage.do(HOST, act) == ["Overridden"]
    match = stage.match("W1.1")
    assert match.result == MatchResult(ending=Ending.PLAYED, winner=4)
    assert match.overridden == "seen on video"
    assert stage.refusal(HOST, VoidRace(match="W1.1", number=1, reason="x")) is ErrorCode.NOT_NOW


def test_an_override_against_a_later_round_takes_that_back() -> None:
    stage = staged(SingleElimination())
    stage.end("W1.1", "Ann@1 Dot@2")
    stage.end("W1.2", "Bob@1 Cy@2")
    told = stage.do(HOST, Override(match="W1.1", winner=4, reason="seen on video"))
    assert told == ["Overridden", "TakenBack", "Paired", "Called"]
    assert stage.pairings() == "Dot-Bob"


def test_an_override_of_a_match_that_is_played_stops_its_race() -> None:
    stage = staged(SingleElimination())
    code = stage.race("W1.1")
    stage.do(HOST, Override(match="W1.1", winner=1, ending=Ending.WALKOVER, reason="left"))
    assert stage.state.dropped == (code,)


@pytest.mark.parametrize(
    ("format", "act", "code"),
    [
        (SingleElimination(), {"ending": Ending.PLAYED}, ErrorCode.BAD_TERMS),
        (SingleElimination(), {"ending": Ending.WALKOVER}, ErrorCode.BAD_TERMS),
        (SingleElimination(), {"ending": Ending.FORFEIT, "winner": 1}, ErrorCode.BAD_TERMS),
        (SingleElimination(), {"ending": Ending.BYE, "winner": 1}, ErrorCode.BAD_TERMS),
        (SingleElimination(), {"winner": 2}, ErrorCode.NO_SUCH_PLAYER),
        (Heats(rounds=1), {"winner": 1}, ErrorCode.BAD_TERMS),
    ],
)
def test_an_override_that_no_match_can_end_in_is_refused(
    format: SingleElimination | Heats, act: dict[str, Ending | int], code: ErrorCode
) -> None:
    stage = staged(format)
    match = next(iter(stage.state.matches))
    ending = act.get("ending", Ending.PLAYED)
    winner = act.get("winner")
    assert isinstance(ending, Ending)
    assert winner is None or isinstance(winner, int)
    asked = Override(match=match, ending=ending, winner=winner, reason="x")
    assert stage.refusal(HOST, asked) is code


def test_a_bye_is_not_overridden() -> None:
    stage = Stage(terms(SingleElimination()))
    stage.start("Ann", "Bob", "Cy")
    bye = Override(match="W1.1", winner=1, reason="x")
    assert stage.refusal(HOST, bye) is ErrorCode.NOT_NOW


def test_a_draw_is_given_by_hand_where_draws_stand() -> None:
    stage = staged(RoundRobin())
    match = next(iter(stage.state.matches))
    stage.do(HOST, Override(match=match, reason="both deserved it"))
    assert stage.match(match).result == MatchResult(ending=Ending.PLAYED)


# --- people


def test_who_is_reinstated_plays_on_and_what_was_lost_stays_lost() -> None:
    stage = staged(RoundRobin())
    stage.do(HOST, Disqualify(player=1, reason="rude"))
    lost = [id for id, match in stage.state.matches.items() if 1 in match.players]
    stage.do(HOST, Reinstate(player=1, reason="a misunderstanding"))
    assert stage.state.players[1].state == "playing"
    assert all(stage.match(id).result is not None for id in lost)


def test_who_left_and_registered_again_is_not_reinstated_twice_over() -> None:
    stage = Stage(terms(SingleElimination()))
    stage.register("Ann")
    stage.do("Ann", Withdraw())
    stage.register("Ann")
    assert stage.refusal(HOST, Reinstate(player=1, reason="x")) is ErrorCode.NOT_NOW


def test_the_host_appoints_by_name_players_or_whom_the_server_knows() -> None:
    stage = Stage(terms(SingleElimination()))
    stage.register("Ann")
    assert stage.refusal(HOST, Appoint(name="Zoe", role="referee")) is ErrorCode.NO_SUCH_PLAYER
    stage.do(HOST, Appoint(name="ann", role="referee"))
    stage.do(HOST, Appoint(name="Zoe", role="co-host"), named=person("Zoe"))
    roles = {each.name: each.role for each in stage.state.staff.values()}
    assert roles == {"Hostess": "host", "Ann": "referee", "Zoe": "co-host"}
    stage.do(HOST, Appoint(name="Ann", role="none"))
    assert "ann" not in stage.state.staff
    assert stage.refusal(HOST, Appoint(name="Hostess", role="referee")) is ErrorCode.NOT_NOW


def test_the_rights_are_those_that_the_acts_name() -> None:
    said = {"The host's": Right.HOST, "Hosts'": Right.CO_HOST, "Staff's": Right.REFEREE}
    for act, right in RIGHTS.items():
        text = act.__doc__ or ""
        named = [needed for words, needed in said.items() if words in text]
        assert named == ([right] if right is not Right.NONE else []), act.__name__
    assert set(RIGHTS) == set(requests.AnyAct.__args__)


ACTS: dict[type[requests.Act], requests.AnyAct] = {
    type(act): act
    for act in (
        Halt(reason="x"),
        Continue(),
        Extend(seconds=1),
        VoidRace(match="F", number=1, reason="x"),
        Override(match="F", reason="x"),
        Disqualify(player=1, reason="x"),
        Invite(names=("Zoe",)),
        requests.OpenCheckIn(),
        StartTournament(),
        StartRound(round=1),
        requests.RingBell(),
        requests.LetIn(player=1),
        Reinstate(player=1, reason="x"),
        Appoint(name="Zoe", role="referee"),
        CallOff(reason="x"),
        AddHook(url="https://example.org/"),
        RemoveHook(url="https://example.org/"),
    )
}


@pytest.mark.parametrize(
    "kind", [kind for kind, right in RIGHTS.items() if right is not Right.NONE]
)
def test_whoever_may_do_less_is_refused_as_not_of_the_staff(kind: type[requests.Act]) -> None:
    stage = Stage(terms(SingleElimination()))
    stage.do(HOST, Appoint(name="Ref", role="referee"), named=person("Ref"))
    stage.do(HOST, Appoint(name="Co", role="co-host"), named=person("Co"))
    for who, right in (("Zoe", Right.NONE), ("Ref", Right.REFEREE), ("Co", Right.CO_HOST)):
        if right < RIGHTS[kind]:
            assert stage.refusal(who, ACTS[kind]) is ErrorCode.NOT_STAFF


def test_who_helps_may_play() -> None:
    stage = Stage(terms(SingleElimination()))
    assert stage.do(HOST, Register()) == ["Registered"]


# --- hooks


def test_a_hook_has_a_secret_of_its_own_and_is_added_once() -> None:
    stage = Stage(terms(SingleElimination()))
    stage.do(HOST, AddHook(url="https://example.org/a"))
    stage.do(HOST, AddHook(url="https://example.org/b"))
    secrets = set(stage.state.hooks.values())
    assert len(secrets) == 2
    assert all(len(secret) >= 32 for secret in secrets)
    stage.do(HOST, RemoveHook(url="https://example.org/a"))
    assert list(stage.state.hooks) == ["https://example.org/b"]


# --- the end


def test_what_is_over_or_called_off_stays_so() -> None:
    for stage in (Stage(terms(SingleElimination())), Stage(terms(SingleElimination()))):
        stage.start("Ann", "Bob")
        stage.end("F", "Ann@1 Bob@2")
        assert stage.state.phase is Phase.OVER
        for act in (Halt(reason="x"), Disqualify(player=1, reason="x"), CallOff(reason="x")):
            assert stage.refusal(HOST, act) is ErrorCode.NOT_NOW
        assert stage.refusal("Eve", Register()) is ErrorCode.NOT_NOW
        assert due(stage.state) is None


def test_calling_off_stops_every_race() -> None:
    stage = staged(SingleElimination(length=Length(best_of=3)))
    codes = {stage.race("W1.1"), stage.race("W1.2")}
    assert stage.do(HOST, CallOff(reason="the hall is closed")) == ["CalledOff"]
    assert set(stage.state.dropped) == codes
    assert due(stage.state) is None


def test_a_tournament_that_nobody_minds_is_called_off_in_the_end() -> None:
    stage = Stage(terms(SingleElimination()))
    stage.register("Ann")
    assert stage.wait(FORSAKEN_MS - 1) == []
    assert stage.wait(1) == ["CalledOff"]
    halted = staged(SingleElimination())
    halted.do(HOST, Halt(reason="for ever"))
    assert halted.wait(FORSAKEN_MS) == ["CalledOff"]


def test_events_say_who_did_what_by_hand() -> None:
    stage = staged(SingleElimination())
    referee = Person("ref", "Ref")
    stage.do(HOST, Appoint(name="Ref", role="referee"), named=referee)
    stage.do(referee, Disqualify(player=4, reason="rude"))
    told = {type(event).__name__: event.by for event in stage.log}
    assert told["Disqualified"] == "ref"
    assert told["Decided"] == ""
    assert isinstance(stage.log[0], events.Announced)
