"""Registering, checking in, and who plays when it starts."""

from __future__ import annotations

import pytest

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.terms import Terms
from samedeal_protocol.tournament.events import Started
from samedeal_protocol.tournament.formats import (
    Heats,
    Ladder,
    RoundRobin,
    SingleElimination,
    Swiss,
)
from samedeal_protocol.tournament.requests import (
    CheckIn,
    ComeBack,
    Disqualify,
    Extend,
    Halt,
    Invite,
    LetIn,
    OpenCheckIn,
    Register,
    Reinstate,
    StartTournament,
    Withdraw,
)
from samedeal_protocol.tournament.terms import Registration, Seeding
from samedeal_server.hosting.commands import Person
from samedeal_server.hosting.state import Phase
from samedeal_server.hosting.telling import told
from samedeal_server.hosting.tournament import Refused
from support.hosting import GAME, HOST, OPENED, Stage, terms

HOUR = 3_600_000
MINUTE = 60_000
FIELD = SingleElimination()


def states(stage: Stage) -> str:
    return ", ".join(f"{entry.name} {entry.state}" for entry in stage.state.players.values())


def seeds(stage: Stage) -> str:
    return " ".join(entry.name for entry in stage.state.playing())


# --- registering


def test_who_comes_after_the_cap_waits_for_a_place() -> None:
    stage = Stage(terms(FIELD, cap=2))
    stage.register("Ann", "Bob", "Cy", "Dot")
    assert states(stage) == "Ann registered, Bob registered, Cy waiting, Dot waiting"


def test_a_place_that_is_free_goes_to_who_has_waited_longest() -> None:
    stage = Stage(terms(FIELD, cap=2))
    stage.register("Ann", "Bob", "Cy", "Dot")
    assert stage.do("Ann", Withdraw()) == ["Withdrew", "LetIn"]
    assert states(stage) == "Ann withdrawn, Bob registered, Cy registered, Dot waiting"


def test_who_registers_again_stands_last_under_another_number() -> None:
    stage = Stage(terms(FIELD, cap=2))
    stage.register("Ann", "Bob", "Cy")
    stage.do("Ann", Withdraw())
    stage.register("Ann")
    assert stage.number("Ann") == 4
    assert stage.state.players[4].state == "waiting"


def test_registering_without_end_is_refused() -> None:
    stage = Stage(terms(FIELD))
    for _ in range(10):
        stage.register("Ann")
        stage.do("Ann", Withdraw())
    assert stage.refusal("Ann", Register()) is ErrorCode.NOT_NOW


def test_by_invitation_only_the_invited_register_whatever_the_case_of_their_names() -> None:
    stage = Stage(terms(FIELD, registration=Registration.INVITATION))
    assert stage.refusal("Ann", Register()) is ErrorCode.NOT_INVITED
    stage.do(HOST, Invite(names=("ANN", "Bob")))
    assert stage.do("Ann", Register()) == ["Registered"]
    assert stage.do(HOST, Invite(names=("ann",))) == []


def test_by_pass_phrase_only_who_knows_it_registers() -> None:
    stage = Stage(terms(FIELD, registration=Registration.PHRASE), phrase_hash="ab")
    assert stage.refusal("Ann", Register(phrase="no")) is ErrorCode.WRONG_PHRASE
    assert stage.do("Ann", Register(phrase="yes"), phrase_fits=True) == ["Registered"]


def test_bots_are_refused_where_the_races_exclude_them() -> None:
    people = Stage(terms(FIELD, race=Terms(game=GAME, bots=False)))
    bot = Person("hal", "Hal", bot=True)
    assert people.refusal(bot, Register()) is ErrorCode.NO_BOTS
    both = Stage(terms(FIELD))
    both.do(bot, Register())
    assert both.state.players[1].bot


def test_the_disqualified_do_not_register_again() -> None:
    stage = Stage(terms(FIELD))
    stage.register("Ann")
    stage.do(HOST, Disqualify(player=1, reason="rude"))
    assert stage.refusal("Ann", Register()) is ErrorCode.NOT_INVITED
    stage.do(HOST, Reinstate(player=1, reason="sorry"))
    assert states(stage) == "Ann registered"


# --- checking in


def window(**more: object) -> Stage:
    """It starts in two hours, with a check-in of half an hour before."""
    return Stage(terms(FIELD, starts=OPENED + 2 * HOUR, check_in=1800, **more))


def test_the_window_opens_so_long_before_the_start_and_closes_with_it() -> None:
    stage = window()
    stage.register("Ann", "Bob")
    assert stage.wait(90 * MINUTE - 1) == []
    assert stage.refusal("Ann", CheckIn()) is ErrorCode.NOT_NOW
    assert stage.wait(1) == ["CheckInOpened"]
    stage.do("Ann", CheckIn())
    stage.wait(30 * MINUTE - 1)
    stage.do("Bob", CheckIn())
    assert stage.state.phase is Phase.CHECK_IN
    assert stage.wait(1) == ["Started", "Paired", "Called"]
    assert stage.log[-1].at == OPENED + 2 * HOUR


def test_who_has_not_checked_in_does_not_play() -> None:
    stage = window()
    stage.register("Ann", "Bob", "Cy")
    stage.wait(90 * MINUTE)
    for name in ("Ann", "Cy"):
        stage.do(name, CheckIn())
    stage.wait(30 * MINUTE)
    assert states(stage) == "Ann playing, Bob absent, Cy playing"


def test_who_waits_and_has_checked_in_gets_the_place_of_who_has_not() -> None:
    stage = window(cap=2)
    stage.register("Ann", "Bob", "Cy", "Dot")
    stage.wait(90 * MINUTE)
    for name in ("Ann", "Cy", "Dot"):
        stage.do(name, CheckIn())
    stage.wait(30 * MINUTE)
    assert states(stage) == "Ann playing, Bob absent, Cy playing, Dot waiting"


def test_with_too_few_at_the_instant_it_is_called_off() -> None:
    stage = window(least=3)
    stage.register("Ann", "Bob", "Cy")
    stage.wait(90 * MINUTE)
    stage.do("Ann", CheckIn())
    stage.do("Bob", CheckIn())
    assert stage.wait(30 * MINUTE) == ["CalledOff"]
    assert stage.state.reason == "it needs 3 players to start, and 2 have checked in"


def test_by_hand_the_window_is_opened_and_the_start_may_be_earlier() -> None:
    stage = Stage(terms(FIELD, check_in=600))
    stage.register("Ann", "Bob", "Cy")
    assert stage.do(HOST, OpenCheckIn()) == ["CheckInOpened"]
    stage.do("Ann", CheckIn())
    stage.do("Bob", CheckIn())
    stage.do(HOST, StartTournament())
    assert seeds(stage) == "Ann Bob"


def test_a_window_that_was_opened_by_hand_closes_in_time() -> None:
    stage = Stage(terms(FIELD, check_in=600))
    stage.register("Ann")
    stage.do(HOST, OpenCheckIn())
    stage.wait(600_000)
    assert stage.refusal("Ann", CheckIn()) is ErrorCode.NOT_NOW
    stage.do(HOST, Extend(seconds=60, shown=stage.state.closes))
    assert stage.do("Ann", CheckIn()) == ["CheckedIn"]


def test_the_start_is_put_off_with_the_window() -> None:
    stage = window()
    stage.register("Ann", "Bob")
    stage.wait(90 * MINUTE)
    stage.do(HOST, Extend(seconds=600, shown=stage.state.starts))
    stage.do("Ann", CheckIn())
    stage.wait(39 * MINUTE)
    stage.do("Bob", CheckIn())
    assert stage.wait(MINUTE - 1) == []
    assert stage.wait(1)[0] == "Started"


def test_without_a_check_in_there_is_none_to_open() -> None:
    assert Stage(terms(FIELD)).refusal(HOST, OpenCheckIn()) is ErrorCode.NOT_NOW


# --- starting


def test_by_hand_with_too_few_it_does_not_start() -> None:
    stage = Stage(terms(FIELD))
    stage.register("Ann")
    assert stage.refusal(HOST, StartTournament()) is ErrorCode.TOO_FEW


def test_a_halted_tournament_does_not_start() -> None:
    stage = Stage(terms(FIELD, starts=OPENED + HOUR))
    stage.register("Ann", "Bob")
    stage.do(HOST, Halt(reason="fire drill"))
    assert stage.wait(2 * HOUR) == []
    assert stage.refusal(HOST, StartTournament()) is ErrorCode.NOT_NOW


def test_seed_numbers_follow_registration() -> None:
    stage = Stage(terms(FIELD))
    stage.start("Ann", "Bob", "Cy")
    assert seeds(stage) == "Ann Bob Cy"


def test_seed_numbers_by_hand_come_first_and_the_others_after_them() -> None:
    stage = Stage(terms(FIELD))
    stage.register("Ann", "Bob", "Cy", "Dot")
    stage.do(HOST, StartTournament(order=(4, 2)))
    assert seeds(stage) == "Dot Bob Ann Cy"


def test_an_order_by_hand_names_those_who_have_registered_once() -> None:
    stage = Stage(terms(FIELD))
    stage.register("Ann", "Bob")
    assert stage.refusal(HOST, StartTournament(order=(1, 1))) is ErrorCode.MALFORMED
    assert stage.refusal(HOST, StartTournament(order=(9,))) is ErrorCode.NO_SUCH_PLAYER


def test_seed_numbers_by_rating_put_the_unrated_last() -> None:
    stage = Stage(terms(FIELD, seeding=Seeding.RATING))
    stage.ratings = {"bob": 1500.0, "dot": 1700.5}
    stage.start("Ann", "Bob", "Cy", "Dot")
    assert seeds(stage) == "Dot Bob Ann Cy"


def test_seed_numbers_by_lot_follow_from_the_recorded_seed() -> None:
    drawn = []
    for _ in range(2):
        stage = Stage(terms(FIELD, seeding=Seeding.LOTS))
        stage.start(*(f"P{number}" for number in range(1, 9)))
        drawn.append(seeds(stage))
    assert drawn[0] == drawn[1]
    assert sorted(drawn[0].split()) == [f"P{number}" for number in range(1, 9)]
    assert drawn[0] != "P1 P2 P3 P4 P5 P6 P7 P8"


def test_a_drawn_bracket_holds_if_it_names_exactly_those_who_play() -> None:
    drawn = SingleElimination(bracket=("Cy", "ann", "Bob", None))
    stage = Stage(terms(drawn))
    stage.start("Ann", "Bob", "Cy")
    assert stage.pairings() == "Cy-Ann"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("Ann Bob Dot", "the bracket names Cy, who would not play: "),
        ("Ann Bob", "the bracket names Cy, who would not play: "),
        ("Ann Bob Cy Dot", "the bracket does not name Dot, who would play: "),
        ("Ann Bob Cy Dot Eve Fay Gil", "the bracket does not name Dot, Eve, Fay and 1 more, who"),
    ],
)
def test_a_drawn_bracket_of_others_is_not_started_unless_an_order_is_given(
    names: str, said: str
) -> None:
    stage = Stage(terms(SingleElimination(bracket=("Cy", "ann", "Bob", None))))
    stage.register(*names.split())
    with pytest.raises(Refused, match=f"^{said}") as refused:
        stage.do(HOST, StartTournament())
    assert refused.value.code is ErrorCode.NOT_NOW
    assert stage.state.phase is Phase.ANNOUNCED
    stage.do(HOST, StartTournament(order=(2,)))
    assert seeds(stage).startswith("Bob Ann")
    assert stage.state.bracket == ()


def test_at_its_instant_it_starts_without_a_bracket_of_others_and_says_so() -> None:
    drawn = SingleElimination(bracket=("Cy", "ann", "Bob", None))
    stage = Stage(terms(drawn, starts=OPENED + 60_000))
    stage.register("Ann", "Bob", "Dot")
    stage.wait(60_000)
    assert stage.pairings() == "Bob-Dot", "the standard seeding: the first has the bye"
    started = next(event for event in stage.log if isinstance(event, Started))
    said = "it starts with 3 players, by the standard seeding, as the drawn bracket does not fit"
    assert told(stage.state, started) == said


# --- late


def test_nobody_is_let_into_an_elimination_or_a_round_robin_late() -> None:
    for format in (FIELD, RoundRobin()):
        stage = Stage(terms(format, cap=2))
        stage.start("Ann", "Bob")
        assert stage.refusal("Cy", Register()) is ErrorCode.NOT_NOW
    stage = Stage(terms(FIELD, cap=2))
    stage.register("Ann", "Bob", "Cy")
    stage.do(HOST, StartTournament())
    assert stage.refusal(HOST, LetIn(player=3)) is ErrorCode.NOT_NOW


@pytest.mark.parametrize("format", [Swiss(rounds=3), Heats(rounds=3)])
def test_newcomers_are_paired_from_the_next_round_until_the_last_that_takes_them(
    format: Swiss | Heats,
) -> None:
    stage = Stage(terms(format, late_until=2))
    stage.start("Ann", "Bob", "Cy", "Dot")
    stage.do("Eve", Register())
    entry = stage.state.players[5]
    assert (entry.joined, entry.seeding, entry.state) == (2, 5, "playing")
    while stage.state.round == 1:
        match = next(stage.state.open_matches())
        names = [stage.state.players[player].name for player in match.players]
        stage.end(match.id, " ".join(f"{name}:{9 - at}" for at, name in enumerate(names)))
    assert any(5 in match.players for match in stage.state.matches.values())
    assert stage.refusal("Fay", Register()) is ErrorCode.NOT_NOW


def test_a_ladder_takes_newcomers_until_the_bell() -> None:
    stage = Stage(terms(Ladder(), bell=600, late_joins=True))
    stage.start("Ann", "Bob")
    stage.register("Cy")
    assert stage.do("Dot", Register()) == ["Registered", "Paired", "Called"]
    stage.wait(600_000)
    assert stage.refusal("Eve", Register()) is ErrorCode.NOT_NOW


def test_the_host_lets_in_who_was_absent_or_waits() -> None:
    stage = Stage(terms(Swiss(rounds=3), check_in=600, cap=2))
    stage.register("Ann", "Bob", "Cy", "Dot")
    stage.do(HOST, OpenCheckIn())
    for name in ("Ann", "Bob"):
        stage.do(name, CheckIn())
    stage.do(HOST, StartTournament())
    assert states(stage) == "Ann playing, Bob playing, Cy waiting, Dot waiting"
    assert stage.do(HOST, LetIn(player=4)) == ["LetIn"]
    assert (stage.state.players[4].seeding, stage.state.players[4].joined) == (3, 2)


def test_who_was_absent_comes_in_by_registering_while_newcomers_may() -> None:
    stage = Stage(terms(Swiss(rounds=3), check_in=600, late_until=2))
    stage.register("Ann", "Bob", "Cy")
    stage.do(HOST, OpenCheckIn())
    for name in ("Ann", "Bob"):
        stage.do(name, CheckIn())
    stage.do(HOST, StartTournament())
    assert stage.do("Cy", Register()) == ["LetIn"]
    assert stage.number("Cy") == 3


def test_who_left_before_the_start_and_is_reinstated_after_it_does_not_play() -> None:
    stage = Stage(terms(FIELD))
    stage.register("Ann", "Bob", "Cy")
    stage.do("Cy", Withdraw())
    stage.do(HOST, StartTournament())
    stage.do(HOST, Reinstate(player=3, reason="a slip"))
    assert states(stage) == "Ann playing, Bob playing, Cy absent"
    assert stage.refusal("Cy", CheckIn()) is ErrorCode.NOT_NOW
    assert stage.do("Cy", ComeBack()) == []
