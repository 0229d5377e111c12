"""What somebody with bad intent, or a slip of the pen, does to a tournament: nothing is lost."""

from __future__ import annotations

from time import process_time

import msgspec
import pytest

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.tournament.formats import SingleElimination, Swiss
from samedeal_protocol.tournament.requests import (
    Appoint,
    CheckIn,
    Continue,
    Disqualify,
    Halt,
    Invite,
    Register,
    Withdraw,
)
from samedeal_protocol.tournament.terms import Registration, Seeding
from samedeal_server.hosting import view
from samedeal_server.hosting.tournament import Refused
from support.hosting import HOST, OPENED, Stage, terms

MINUTE = 60_000


class Unread(dict[str, float]):
    """Ratings that nobody must have looked at yet: who starts, and so is paired, looks."""

    def __contains__(self, id: object) -> bool:
        raise AssertionError("it was reckoned")


def test_thousands_are_invited_within_a_moment() -> None:
    """Not each compared with every other: anybody can host, and all wait while one is served."""
    stage = Stage(terms(Swiss(rounds=3), registration=Registration.INVITATION))
    before = process_time()
    for first in range(0, 5_000, 500):
        names = tuple(f"Guest {number}" for number in range(first, first + 500))
        stage.do(HOST, Invite(names=names))
    stage.do("Guest 4711", Register())
    sheet = view.sheet(stage.state, HOST.id, stage.now)
    assert process_time() - before < 3
    assert len(sheet.invited) == 4_999
    assert stage.refusal(HOST, Invite(names=("one too many",))) is ErrorCode.TOO_LONG


def test_whoever_is_invited_twice_in_one_breath_is_invited_once() -> None:
    stage = Stage(terms(Swiss(rounds=3), registration=Registration.INVITATION))
    stage.do(HOST, Invite(names=("Ann", "Bob", "ANN", "\uff21nn")))
    assert stage.state.invited == ("Ann", "Bob")


def test_a_bracket_cannot_name_somebody_twice_in_two_spellings() -> None:
    with pytest.raises(Refused, match="twice"):
        Stage(terms(SingleElimination(bracket=("Ann", "ANN", "Bob", None))))


@pytest.mark.parametrize("name", ["Friday\x1b[2J", "Fri\nday", "Friday\u202e", "\u200b"])
def test_a_tournament_cannot_be_called_what_changes_the_text_around_it(name: str) -> None:
    with pytest.raises(Refused, match="`name` holds characters that cannot be seen"):
        Stage(terms(Swiss(rounds=3), name=name))


def test_reasons_are_kept_without_what_cannot_be_seen_and_must_say_something() -> None:
    stage = Stage(terms(Swiss(rounds=3)))
    stage.start("Ann", "Bob")
    assert stage.refusal(HOST, Disqualify(player=1, reason=" \u200b\n")) is ErrorCode.MALFORMED
    stage.do(HOST, Halt(reason="tea\x1b[2J\u202e!"))
    assert stage.state.halted == "tea[2J!"


@pytest.mark.parametrize("role", ["host", "referees", "referee\n"])
def test_nobody_is_appointed_what_there_is_not(role: str) -> None:
    asked = {"act": "appoint", "name": "Ann", "role": role}
    with pytest.raises(msgspec.ValidationError, match="matching regex"):
        msgspec.convert(asked, Appoint)


def test_who_has_left_is_not_told_that_they_are_checked_in() -> None:
    stage = Stage(terms(Swiss(rounds=3), starts=OPENED + 60 * MINUTE, check_in=1800))
    stage.register("Ann", "Bob", "Cy")
    stage.wait(30 * MINUTE)
    stage.do("Ann", Withdraw())
    assert stage.refusal("Ann", CheckIn()) is ErrorCode.NOT_PLAYING


def test_a_check_in_does_not_close_while_it_is_paused() -> None:
    stage = Stage(terms(Swiss(rounds=3), starts=OPENED + 60 * MINUTE, check_in=1800))
    stage.register("Ann", "Bob")
    stage.wait(59 * MINUTE)
    stage.do("Ann", CheckIn())
    stage.do(HOST, Halt(reason="the house burns"))
    stage.wait(10 * MINUTE)
    assert stage.do("Bob", CheckIn()) == ["CheckedIn"]
    stage.do(HOST, Continue())
    stage.wait(MINUTE)
    assert {entry.state for entry in stage.state.players.values()} == {"playing"}


def test_a_stranger_cannot_have_a_round_that_is_due_paired_for_nothing() -> None:
    """What falls due is left out with a refusal, and pairing hundreds takes seconds."""
    stage = Stage(terms(Swiss(rounds=3), starts=OPENED + 60 * MINUTE, seeding=Seeding.RATING))
    stage.register("Ann", "Bob", "Cy", "Dot")
    stage.now += 60 * MINUTE
    stage.ratings = Unread()
    assert stage.refusal("Eve", Halt(reason="mine")) is ErrorCode.NOT_STAFF
    stage.ratings = {}
    assert stage.wait(0) == ["Started", "Paired", "Called", "Called"]
