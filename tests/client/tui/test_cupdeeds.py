"""What a tournament's screen offers its viewer, phase by phase."""

from __future__ import annotations

import pytest

from samedeal_client.cups.cup import Cup
from samedeal_client.tui.cupdeeds import offers
from samedeal_protocol.tournament.formats import SingleElimination, Swiss
from samedeal_protocol.tournament.views import Pick, TournamentSheet
from support.cups import match, player, race, sheet, terms


class Nowhere:
    """A hall that nothing is asked of."""

    name = "Ada"

    def now_ms(self) -> float:
        return 0.0


def offered(seen: TournamentSheet) -> list[str]:
    return [each.word for each in offers(Cup(Nowhere(), seen))]  # type: ignore[arg-type]


SWISS = terms(Swiss(rounds=5), late_until=2)
KNOCKOUT = terms(SingleElimination())


@pytest.mark.parametrize(
    ("state", "phase", "words"),
    [
        ("registered", "announced", ["withdraw"]),
        ("registered", "check-in", ["check-in", "withdraw"]),
        ("waiting", "check-in", ["check-in", "withdraw"]),
        ("checked-in", "check-in", ["withdraw"]),
        ("playing", "running", ["sit-out", "withdraw"]),
        ("sitting-out", "running", ["come-back", "withdraw"]),
        ("withdrawn", "running", ["come-back"]),
        ("withdrawn", "announced", ["register"]),
        ("disqualified", "running", []),
        ("playing", "over", []),
    ],
)
def test_a_player_is_offered_what_makes_sense(state: str, phase: str, words: list[str]) -> None:
    seen = sheet(phase=phase, terms=SWISS, players=(player(1, "Ada", state),), you=1)
    assert offered(seen) == words


def test_a_host_is_offered_the_step_that_is_next_and_a_referee_is_not() -> None:
    by_hand = terms(Swiss(rounds=5), rounds_by_hand=True)
    assert offered(sheet(phase="announced", terms=SWISS, role="host")) == ["register", "start"]
    assert offered(sheet(phase="announced", terms=SWISS, role="referee")) == ["register"]
    assert offered(sheet(phase="running", terms=KNOCKOUT, role="host")) == []
    assert offered(sheet(phase="running", terms=by_hand, role="co-host")) == ["round"]


def test_nobody_sits_out_of_a_knockout() -> None:
    seen = sheet(terms=KNOCKOUT, players=(player(1, "Ada"),), you=1)
    assert offered(seen) == ["withdraw"]


def test_newcomers_are_offered_a_place_while_they_are_let_in() -> None:
    assert offered(sheet(phase="announced", terms=KNOCKOUT)) == ["register"]
    assert offered(sheet(phase="running", terms=KNOCKOUT)) == []
    assert offered(sheet(phase="running", terms=SWISS)) == ["register"]
    assert offered(sheet(phase="over", terms=SWISS)) == []


def test_a_race_that_waits_for_the_player_comes_first_and_then_the_pick() -> None:
    called = match("R1.1", 1, 2, races=(race(1, "race-1"),))
    picking = match("R1.2", 1, 3, pick=Pick(player=1, until=0))
    players = tuple(player(number, name) for number, name in enumerate(("Ada", "Bo", "Cy"), 1))
    seen = sheet(terms=KNOCKOUT, players=players, you=1, matches=(called, picking))
    assert offered(seen) == ["go", "pick", "withdraw"]
