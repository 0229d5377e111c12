"""Golden standings: every tie pattern of four entrants, and the order of the groups."""

from __future__ import annotations

from itertools import permutations, product

import pytest

from samedeal_protocol.events import EntrantState
from samedeal_rules.engine import Table
from samedeal_rules.games import find
from samedeal_rules.notation import Position
from samedeal_server.racing.standings import rank
from samedeal_server.racing.state import Entrant
from support.races import OPENED

CLUBS = find("beleaguered-castle")


def with_home(home: int) -> Table:
    """A board with so many cards home, all of clubs."""
    piles = tuple(tuple(range(1, home + 1)) if name == "F1" else () for name in CLUBS.piles)
    return Table.from_position(Position(CLUBS, piles))


def entrant(number: int, text: str) -> Entrant:
    """`90` finished in 90 ms, `s5` stuck with 5 home, `g`, `o` gave up, out of time, `d5`, `w`."""
    made = Entrant(number, f"p{number}", f"P{number}", bot=False)
    made.began_at = OPENED
    if text.isdigit():
        made.state, made.elapsed_ms, made.table = EntrantState.FINISHED, int(text), with_home(13)
        return made
    made.state = {
        "s": EntrantState.STUCK,
        "g": EntrantState.GAVE_UP,
        "o": EntrantState.OUT_OF_TIME,
        "d": EntrantState.DISQUALIFIED,
        "w": EntrantState.WITHDRAWN,
        "r": EntrantState.RACING,
        "e": EntrantState.ENTERED,
    }[text[0]]
    made.table = with_home(int(text[1:])) if text[1:] else None
    return made


def standings(texts: str) -> str:
    """`3:1 1:2 2:2` for entrant 3 first, then 1 and 2 sharing the second place."""
    entrants = [entrant(number, text) for number, text in enumerate(texts.split(), 1)]
    return " ".join(f"{line.entrant}:{line.place}" for line in rank(entrants))


@pytest.mark.parametrize(
    ("texts", "golden"),
    [
        # every tie pattern of four finishers
        ("10 20 30 40", "1:1 2:2 3:3 4:4"),
        ("10 10 30 40", "1:1 2:1 3:3 4:4"),
        ("10 20 20 40", "1:1 2:2 3:2 4:4"),
        ("10 20 30 30", "1:1 2:2 3:3 4:3"),
        ("10 10 30 30", "1:1 2:1 3:3 4:3"),
        ("10 10 10 40", "1:1 2:1 3:1 4:4"),
        ("10 20 20 20", "1:1 2:2 3:2 4:2"),
        ("10 10 10 10", "1:1 2:1 3:1 4:1"),
        # the same by cards home, however their races ended
        ("s9 s7 g5 o3", "1:1 2:2 3:3 4:4"),
        ("s9 g9 o5 s3", "1:1 2:1 3:3 4:4"),
        ("s9 g7 o7 s3", "1:1 2:2 3:2 4:4"),
        ("s9 g7 o5 s5", "1:1 2:2 3:3 4:3"),
        ("s9 g9 o5 s5", "1:1 2:1 3:3 4:3"),
        ("s9 g9 o9 s5", "1:1 2:1 3:1 4:4"),
        ("s9 g5 o5 s5", "1:1 2:2 3:2 4:2"),
        ("s5 g5 o5 s5", "1:1 2:1 3:1 4:1"),
        # order of entering does not matter, and decides only who stands first on a shared place
        ("40 30 20 10", "4:1 3:2 2:3 1:4"),
        ("20 10 20 10", "2:1 4:1 1:3 3:3"),
        # the groups
        ("d9 s2 90 w", "3:1 2:2 1:3"),
        ("d9 d1 s0 90", "4:1 3:2 1:3 2:3"),
        ("w w w w", ""),
        ("s12 10 e w", "2:1 1:2"),
        ("d d d d", "1:1 2:1 3:1 4:1"),
        # those who still race, provisionally
        ("r5 10 s6 d", "2:1 3:2 1:3 4:4"),
    ],
)
def test_standings(texts: str, golden: str) -> None:
    assert standings(texts) == golden


def test_no_order_of_entering_changes_anybodys_place() -> None:
    texts = ["10", "10", "s5", "g5", "d3"]
    places = dict(zip(texts, [1, 1, 3, 3, 5], strict=True))
    for order in permutations(texts):
        for pair in standings(" ".join(order)).split():
            number, place = pair.split(":")
            assert int(place) == places[order[int(number) - 1]]


def test_only_a_finisher_has_a_time() -> None:
    for first, second in product(["90", "s5", "g0", "o1", "d4"], repeat=2):
        for line in rank([entrant(1, first), entrant(2, second)]):
            assert (line.elapsed_ms is not None) == (line.state is EntrantState.FINISHED)


def test_a_finisher_with_the_worst_time_is_before_all_who_did_not_finish() -> None:
    assert standings("s12 9999999999") == "2:1 1:2"
