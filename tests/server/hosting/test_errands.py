"""What a server has to do for a tournament: races to open, to start and to stop."""

from __future__ import annotations

import pytest

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.terms import Mode, Sight, Start, Terms, Visibility
from samedeal_protocol.tournament.events import Showing
from samedeal_protocol.tournament.formats import Heats, Ladder, SingleElimination, Swiss
from samedeal_protocol.tournament.requests import AddHook, Appoint, CallOff, Invite, VoidRace
from samedeal_protocol.tournament.schedule import Every, Schedule
from samedeal_protocol.tournament.terms import Registration, TournamentTerms
from samedeal_rules import RULES_VERSION
from samedeal_rules.shuffle import keeps_commitment
from samedeal_server.hosting import errands
from samedeal_server.hosting.announcing import announce
from samedeal_server.hosting.codes import is_cup, new_code
from samedeal_server.hosting.commands import RaceHasStarted
from samedeal_server.hosting.fold import begin
from samedeal_server.hosting.pages import lines
from samedeal_server.hosting.state import Phase
from samedeal_server.hosting.tournament import Refused, due, is_done
from samedeal_server.racing import commands as racing
from samedeal_server.racing.race import begin as begin_race
from samedeal_server.racing.race import open_race, step
from samedeal_server.tourneys.chance import deal_seed
from support.hosting import CODE, GAME, HOST, OPENED, SALT, SEED, Stage, person, terms

DAY = 86_400_000


def test_a_race_is_opened_by_the_tournaments_terms_for_its_players() -> None:
    race = Terms(game=GAME, spectators=Sight.PROGRESS, countdown=9, limit=600)
    chosen = terms(SingleElimination(), race=race, visibility=Visibility.UNLISTED)
    stage = Stage(chosen)
    stage.start("Ann", "Bob")
    (opening,) = errands.openings(stage.state)
    assert opening.invited == ("ann", "bob")
    assert opening.seed == deal_seed(SEED, "F", 1)
    own = opening.terms
    assert (own.start, own.entrants_min, own.entrants_max) == (Start.ALL_READY, 2, 2)
    assert (own.visibility, own.spectators, own.countdown) == (
        Visibility.UNLISTED,
        Sight.PROGRESS,
        9,
    )
    assert not opening.is_mustered
    assert not opening.is_running


def test_no_heat_is_raced_on_a_deal_that_others_have_shown() -> None:
    stage = Stage(terms(Heats(rounds=1, size=3)))
    stage.start("Ann", "Bob", "Cy", "Dot", "Eve", "Fay")
    openings = errands.openings(stage.state)
    assert len(openings) == 2
    assert len({each.seed for each in openings}) == 2


def test_a_race_at_ones_own_pace_opens_with_whoever_begins() -> None:
    stage = Stage(terms(SingleElimination(), race=Terms(game=GAME, mode=Mode.ASYNC)))
    stage.start("Ann", "Bob")
    (opening,) = errands.openings(stage.state)
    assert (opening.terms.entrants_min, opening.terms.entrants_max) == (1, 2)
    assert errands.muster_due(stage.state, stage.now + 40 * DAY) == ()


def test_what_is_opened_is_a_race_and_its_end_becomes_showings() -> None:
    stage = Stage(terms(SingleElimination()))
    stage.start("Ann", "Bob")
    (opening,) = errands.openings(stage.state)
    opened = open_race(
        race=opening.race,
        terms=opening.terms,
        seed=opening.seed,
        salt=opening.salt,
        host=CODE,
        host_name="Bench",
        seeded=False,
        rules=RULES_VERSION,
        now=OPENED,
        tournament=CODE,
        invited=opening.invited,
    )
    race, now = begin_race(opened), OPENED
    asked: list[tuple[int, racing.Command]] = [
        *((0, racing.Enter(id, id.title(), False)) for id in ("bob", "ann")),
        *((0, racing.Ready(id)) for id in ("bob", "ann")),
        (6_000, racing.Tick()),
        (0, racing.GiveUp("bob")),
        (0, racing.Disqualify(CODE, 2, "two boards")),
    ]
    for after, command in asked:
        now += after
        list(step(race, command, now))
    assert race.phase.value == "over"
    assert errands.showings(stage.state, opening.race, race) == (
        Showing(player=2, place=1),
        Showing(player=1, place=None),
    )


def test_a_race_is_to_be_looked_at_when_its_time_is_up_until_it_runs() -> None:
    stage = Stage(terms(SingleElimination(), no_show=120))
    stage.start("Ann", "Bob")
    code = stage.race("F")
    assert errands.muster_due(stage.state, OPENED + 119_999) == ()
    assert [each.race for each in errands.muster_due(stage.state, OPENED + 120_000)] == [code]
    stage.tell(RaceHasStarted(race=code))
    assert errands.muster_due(stage.state, OPENED + 120_000) == ()
    assert errands.openings(stage.state)[0].is_running


def test_a_race_that_counts_no_more_is_to_be_stopped_and_none_is_open() -> None:
    stage = Stage(terms(Swiss(rounds=1)))
    stage.start("Ann", "Bob")
    first = stage.race("R1.1")
    stage.do(HOST, VoidRace(match="R1.1", number=1, reason="a bug"))
    assert errands.stopped(stage.state) == (first,)
    second = stage.race("R1.1")
    stage.do(HOST, CallOff(reason="fire"))
    assert errands.stopped(stage.state) == (first, second)
    assert errands.openings(stage.state) == ()


# --- series

DAILY = Schedule(zone="UTC", every=Every.DAY, at="08:00")
"""OPENED is 08:00 of 15 January 2027, UTC."""


def series(**more: object) -> Stage:
    return Stage(terms(SingleElimination(), starts=OPENED + DAY, repeat=DAILY, **more))


def test_the_next_of_a_series_is_announced_when_this_one_starts() -> None:
    stage = series()
    stage.register("Ann", "Bob")
    told = stage.wait(DAY)
    assert told[:2] == ["Started", "Paired"]
    assert "Followed" in told
    assert stage.state.next is not None
    assert stage.state.next.starts == OPENED + 2 * DAY


def test_it_is_announced_no_earlier_than_the_terms_say() -> None:
    stage = series(announced_ahead=3600)
    stage.register("Ann", "Bob")
    stage.wait(2 * DAY - 3_600_001)
    assert stage.state.next is None
    assert not is_done(stage.state)
    stage.wait(1)
    assert stage.state.next is not None


def test_it_follows_one_that_was_called_off_unless_the_series_was() -> None:
    lonely = series()
    lonely.wait(DAY)
    assert lonely.state.phase is Phase.CALLED_OFF
    assert lonely.state.next is not None
    ended = series()
    ended.do(HOST, CallOff(reason="enough", series=True))
    assert due(ended.state) is None
    ended.wait(3 * DAY)
    assert ended.state.next is None


def test_those_that_were_missed_meanwhile_are_passed_over() -> None:
    stage = series(announced_ahead=3600)
    stage.register("Ann", "Bob")
    stage.now += DAY
    stage.wait(0)
    stage.now += 10 * DAY + 1
    stage.wait(0)
    assert stage.state.next is not None
    assert stage.state.next.starts == OPENED + 12 * DAY


def test_the_next_has_the_same_terms_people_and_hooks_and_chance_of_its_own() -> None:
    chosen = terms(
        SingleElimination(),
        starts=OPENED + DAY,
        repeat=DAILY,
        registration=Registration.INVITATION,
    )
    stage = Stage(chosen)
    stage.do(HOST, Invite(names=("Ann", "Bob")))
    stage.do(HOST, Appoint(name="Zoe", role="referee"), named=person("Zoe"))
    stage.do(HOST, AddHook(url="https://example.org/"))
    stage.wait(DAY)
    following = errands.follower(stage.state)
    assert following is not None
    state = begin(following)
    assert state.starts == OPENED + 2 * DAY
    assert state.announced.follows == CODE
    assert [each.role for each in state.staff.values()] == ["host", "referee"]
    assert state.invited == ("Ann", "Bob")
    assert state.hooks == stage.state.hooks
    assert is_cup(state.code)
    announced = state.announced
    assert {announced.seed, announced.salt}.isdisjoint({SEED, SALT})
    assert keeps_commitment(announced.commitment, announced.seed, announced.salt)


def test_nobody_is_shown_the_seed_or_salt_of_the_next() -> None:
    stage = series()
    stage.wait(DAY)
    assert stage.state.is_final
    assert stage.state.next is not None
    for viewer in ("zoe", HOST.id):
        text = "\n".join(lines(stage.state, viewer, stage.log))
        assert stage.state.next.next in text
        assert stage.state.next.seed not in text
        assert stage.state.next.salt not in text


def test_a_series_is_not_ended_where_the_next_is_announced_already() -> None:
    stage = series()
    stage.register("Ann", "Bob")
    stage.wait(DAY)
    assert stage.refusal(HOST, CallOff(reason="x", series=True)) is ErrorCode.NOT_NOW
    assert stage.do(HOST, CallOff(reason="x")) == ["CalledOff"]


# --- announcing


def announced(chosen: TournamentTerms, *, phrase_hash: str = "") -> str:
    """The code of the refusal, or nothing."""
    try:
        announce(
            tournament=CODE,
            terms=chosen,
            seed=SEED,
            salt=SALT,
            host=HOST,
            phrase_hash=phrase_hash,
            now=OPENED,
        )
    except Refused as refused:
        return f"{refused.code.code}: {refused.sentence}"
    return ""


NOWHERE = Schedule(zone="Europe/Berln", every=Every.DAY, at="08:00")


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (terms(Swiss(rounds=3), race=Terms(game="forty-thieve")), "no-such-game: "),
        (terms(Swiss(rounds=3), games=("opsu",)), "no-such-game: "),
        (terms(Swiss(rounds=3), starts=OPENED), "bad-terms: it must start later than now"),
        (terms(Ladder()), "bad-terms: a ladder needs a bell"),
        (
            terms(Swiss(rounds=3), registration=Registration.PHRASE),
            "bad-terms: `registration: phrase` and a pass phrase go together",
        ),
        (terms(Swiss(rounds=3), name="  "), "bad-terms: `name` is blank"),
        (
            terms(SingleElimination(bracket=("A", "B", "C", "D")), cap=3),
            "bad-terms: the bracket names 4 players, and `cap` is 3",
        ),
        (
            terms(Swiss(rounds=3), race=Terms(game=GAME, entrants_min=9)),
            "bad-terms: in `race`: at least 9 entrants, but at most 8: `entrants_min` is above",
        ),
        (
            terms(Swiss(rounds=3), starts=OPENED + DAY, repeat=NOWHERE),
            "bad-terms: in `repeat`: there is no time zone 'Europe/Berln'; did you mean Europe/Ber",
        ),
    ],
)
def test_terms_that_cannot_be_are_refused_in_a_sentence(chosen: TournamentTerms, said: str) -> None:
    assert announced(chosen).startswith(said)


def test_a_pass_phrase_goes_with_its_registration() -> None:
    assert announced(terms(Swiss(rounds=3)), phrase_hash="ab").startswith("bad-terms: ")
    phrase = terms(Swiss(rounds=3), registration=Registration.PHRASE)
    assert announced(phrase, phrase_hash="ab") == ""


def test_codes_of_tournaments_are_told_from_those_of_races() -> None:
    code = new_code("00" * 16)
    assert is_cup(code)
    assert len(code) == 14
    assert code != new_code("01" * 16)
    stage = Stage(terms(SingleElimination()))
    stage.start("Ann", "Bob")
    assert not is_cup(stage.race("F"))
